package io.hirundo.trainer.internal.swap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.ProbedOptimizer;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of optimizer state when another optimizer takes over. */
class OptimizerSwapTest {
  @TempDir private Path folder;
  private final ProbedOptimizer<?> lion = new ProbedOptimizer<>(new LionFactory());
  private final ProbedOptimizer<?> adamW = new ProbedOptimizer<>(new AdamWFactory());

  private SteeredRun prepared(String name, long steps, Map<String, Object> mesh) {
    var run = new SteeredRun(folder.resolve(name)).with("mesh", mesh);
    run.catalog.add("optimizer", "lion", lion);
    run.catalog.add("optimizer", "probed-adamw", adamW);
    run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
    return run.with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4));
  }

  /** Ranks own runs of elements, and with pipeline stages different parameters. */
  @ParameterizedTest
  @CsvSource({"zero1, 1", "fsdp, 2"})
  void takesOverWhatBothHaveAndReportsTheRest(String dataParallel, int stages) {
    Map<String, Object> mesh = Map.of("data", 2, "pipeline", stages, "dataParallel", dataParallel);
    var run = prepared("run", SteeredRun.STEPS, mesh);
    var there = run.change(3, "optimizer=lion");
    var back = run.change(7, "optimizer=probed-adamw");
    run.run();
    assertTrue(there.join().granted(), there.join().message());
    assertTrue(there.join().message().contains("optimizer state: exp_avg kept; exp_avg_sq dropped"), there.join().message());
    assertEquals(5, lion.firstStep(), "no state of lion counts steps");
    assertTrue(lion.largestAtFirstStep() > 0, "exp_avg was not taken over");
    assertTrue(back.join().granted(), back.join().message());
    assertTrue(
        back.join().message().contains(
            "optimizer state: all from zero, with steps counted from 1, because the run has no exp_avg_sq"),
        back.join().message());
    assertEquals(1, adamW.firstStep());
    assertEquals(0, adamW.largestAtFirstStep(), "moments of a new bias correction must begin at zero");
    var reported = run.events(TrainingEvent.StrategiesChanged.class).getFirst().changes();
    assertTrue(reported.contains("optimizer state: exp_avg kept; exp_avg_sq dropped"), reported.toString());
    assertTrue(run.losses.getLast() < run.losses.getFirst(), run.losses.toString());
  }

  @Test
  void resumesBitwiseAfterAnOptimizerBeganInTheMiddleOfTheRun() {
    List<Double> expected = changed("once", 12, false);
    List<Double> losses = changed("twice", 8, false);
    losses.addAll(changed("twice", 12, true));
    assertEquals(expected, losses);
  }

  private List<Double> changed(String name, long steps, boolean resume) {
    var run = prepared(name, steps, Map.of()).with("checkpoint", Map.of("strategy", "sync"));
    if (resume) {
      return run.resume().losses;
    }
    run.change(2, "optimizer=lion");
    run.change(5, "optimizer=adamw");
    run.run();
    assertEquals(2, run.events(TrainingEvent.StrategiesChanged.class).size());
    return run.losses;
  }

  @Test
  void lionLearns() {
    var run = prepared("lion", 20, Map.of("data", 2)).with("optimizer", Map.of("name", "lion"));
    run.run();
    assertTrue(run.losses.getLast() < run.losses.getFirst() - 0.02, run.losses.toString());
  }

  @Test
  void rejectsStateOfAnotherType() {
    lion.stateType = DType.FP64;
    var run = prepared("run", 6, Map.of());
    var decision = run.change(2, "optimizer=lion");
    run.run();
    assertFalse(decision.join().granted());
    String message = decision.join().message();
    assertTrue(message.startsWith("optimizer: it keeps exp_avg of "), message);
    assertTrue(message.contains(" FP64, and the run has ") && message.contains("its state cannot carry over"), message);
    assertEquals(6, run.losses.size());
  }

  @Test
  void rejectsAnOptimizerThatDeclaresOtherStateThanItKeeps() {
    var liar = new ProbedOptimizer<>(new LionFactory()) {
      @Override
      protected Optional<List<StateSpec>> declared(ParameterSpec parameter, DType dtype) {
        return Optional.of(List.of());
      }
    };
    var run = prepared("run", 6, Map.of()).with("optimizer", Map.of("name", "liar"));
    run.catalog.add("optimizer", "liar", liar);
    String message = assertThrows(ConfigurationException.class, run::run).getMessage();
    assertTrue(message.startsWith("optimizer: it declares the state [] for "), message);
  }
}
