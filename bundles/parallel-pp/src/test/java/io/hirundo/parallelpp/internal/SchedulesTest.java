package io.hirundo.parallelpp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.strategy.NoOptions;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SchedulesTest {
  private static final PipelineSchedule ONE_F_ONE_B = new OneForwardOneBackwardFactory().create(new NoOptions());
  private static final PipelineSchedule GPIPE = new GPipeFactory().create(new NoOptions());

  /** F forward, B input half, W weight half, each with its microbatch. */
  private static List<String> drawn(PipelineSchedule schedule, int stages, int microbatches) {
    return schedule.plan(new PipelineShape(stages, 1, microbatches)).stream()
        .map(actions -> actions.stream().map(SchedulesTest::drawn).collect(Collectors.joining(" ")))
        .toList();
  }

  private static String drawn(Action action) {
    return switch (action.kind()) {
      case FORWARD -> "F";
      case BACKWARD_INPUT -> "B";
      case BACKWARD_WEIGHT -> "W";
    } + action.microbatch();
  }

  @Test
  void oneStageAccumulatesMicrobatchByMicrobatch() {
    assertEquals(List.of("F0 B0 W0 F1 B1 W1 F2 B2 W2"), drawn(ONE_F_ONE_B, 1, 3));
  }

  @Test
  void threeStages() {
    assertEquals(
        List.of(
            "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3",
            "F0 F1 B0 W0 F2 B1 W1 F3 B2 W2 B3 W3",
            "F0 B0 W0 F1 B1 W1 F2 B2 W2 F3 B3 W3"),
        drawn(ONE_F_ONE_B, 3, 4));
  }

  @Test
  void fewerMicrobatchesThanStages() {
    assertEquals(List.of("F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1", "F0 B0 W0 F1 B1 W1"), drawn(ONE_F_ONE_B, 4, 2));
  }

  @Test
  void gpipeDoesAllForwardsFirst() {
    assertEquals(List.of("F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1"), drawn(GPIPE, 2, 2));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 5", "4, 8", "8, 3", "8, 64"})
  void warmupIsThatOfMegatron(int stages, int microbatches) {
    List<List<Action>> plan = ONE_F_ONE_B.plan(new PipelineShape(stages, 1, microbatches));
    for (int stage = 0; stage < stages; stage++) {
      long beforeFirstBackward =
          plan.get(stage).stream().takeWhile(action -> action.kind() == Action.Kind.FORWARD).count();
      // The first forward of the steady phase comes before the first backward as well, where one is left.
      int warmup = Math.min(stages - stage - 1, microbatches);
      assertEquals(Math.min(warmup + 1, microbatches), beforeFirstBackward, "stage " + stage);
    }
  }

  static Stream<PipelineSchedule> schedules() {
    return Stream.of(ONE_F_ONE_B, GPIPE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void everyMicrobatchOnceInEachKindAndInOrder(PipelineSchedule schedule) {
    for (int stages : new int[] {1, 2, 5}) {
      for (int microbatches : new int[] {1, 4, 7}) {
        for (List<Action> actions : schedule.plan(new PipelineShape(stages, 1, microbatches))) {
          assertEquals(3 * microbatches, actions.size());
          assertEquals(actions.size(), new HashSet<>(actions).size());
          for (int microbatch = 0; microbatch < microbatches; microbatch++) {
            int forward = actions.indexOf(new Action(Action.Kind.FORWARD, microbatch, 0));
            int input = actions.indexOf(new Action(Action.Kind.BACKWARD_INPUT, microbatch, 0));
            int weight = actions.indexOf(new Action(Action.Kind.BACKWARD_WEIGHT, microbatch, 0));
            assertTrue(forward >= 0 && forward < input && input + 1 == weight, actions.toString());
          }
        }
      }
    }
  }

  /** Runs all stages at once: an action waits for its neighbour's. */
  @ParameterizedTest
  @MethodSource("schedules")
  void neverDeadlocks(PipelineSchedule schedule) {
    for (int stages = 1; stages <= 6; stages++) {
      for (int microbatches = 1; microbatches <= 9; microbatches++) {
        assertRunsToTheEnd(schedule.plan(new PipelineShape(stages, 1, microbatches)));
      }
    }
  }

  private static void assertRunsToTheEnd(List<List<Action>> plan) {
    int[] done = new int[plan.size()];
    boolean moved = true;
    while (moved) {
      moved = false;
      for (int stage = 0; stage < plan.size(); stage++) {
        while (done[stage] < plan.get(stage).size() && isReady(plan, done, stage)) {
          done[stage]++;
          moved = true;
        }
      }
    }
    for (int stage = 0; stage < plan.size(); stage++) {
      assertEquals(plan.get(stage).size(), done[stage], "stuck at " + Arrays.toString(done));
    }
  }

  private static boolean isReady(List<List<Action>> plan, int[] done, int stage) {
    Action action = plan.get(stage).get(done[stage]);
    int neighbour =
        switch (action.kind()) {
          case FORWARD -> stage - 1;
          case BACKWARD_INPUT -> stage + 1;
          case BACKWARD_WEIGHT -> -1;
        };
    return neighbour < 0
        || neighbour >= plan.size()
        || plan.get(neighbour).subList(0, done[neighbour]).contains(action);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  void refusesChunksAndEmptySteps(PipelineSchedule schedule) {
    var chunks = assertThrows(ConfigurationException.class, () -> schedule.plan(new PipelineShape(2, 2, 4)));
    assertTrue(chunks.getMessage().contains("one model chunk a stage, not 2"), chunks.getMessage());
  }
}
