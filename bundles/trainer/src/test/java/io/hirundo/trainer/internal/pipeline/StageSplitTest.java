package io.hirundo.trainer.internal.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StageSplitTest {
  @Test
  void givesFewerLayersToTheStageOfAHeavyHead() {
    // An embedding without cost, eight layers, and a head with the cost of two layers.
    var weights = List.of(0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0);

    assertEquals(List.of(6, 4), counts(StageSplit.balanced(weights, 2)));
  }

  @Test
  void findsTheOptimalSplit() {
    var random = new Random(3);
    for (int round = 0; round < 200; round++) {
      var weights = new ArrayList<Double>();
      for (int block = 0; block < 8; block++) {
        weights.add(random.nextDouble());
      }
      int stages = 1 + random.nextInt(4);
      var split = StageSplit.balanced(weights, stages);

      assertEquals(stages, split.size());
      assertEquals(8, split.getLast().end());
      assertEquals(best(weights, 0, stages), heaviest(weights, split), 1e-9);
    }
  }

  @Test
  void givesEveryStageABlock() {
    assertEquals(List.of(1, 1, 1), counts(StageSplit.balanced(List.of(0.0, 9.0, 0.0), 3)));
  }

  @Test
  void checksAConfiguredSplit() {
    assertEquals(List.of(4, 2, 1), counts(StageSplit.given(List.of(3, 2, 0), 7, 3)));
    for (List<Integer> wrong : List.of(List.of(3, 2), List.of(3, 2, 1), List.of(3, 0, 2), List.of(6, 0, -1))) {
      var failure = assertThrows(ConfigurationException.class, () -> StageSplit.given(wrong, 7, 3));
      assertTrue(failure.getMessage().startsWith("mesh.stageLayers: "), failure.getMessage());
    }
  }

  @Test
  @Timeout(120)
  void splitsTheDeepestModelIntoManyStages() {
    var weights = new ArrayList<Double>(Collections.nCopies(4_096, 1.0));
    weights.addFirst(0.0);
    weights.add(2.0);
    assertEquals(1_024, StageSplit.balanced(weights, 1_024).size());
  }

  private static List<Integer> counts(List<StageSplit.Blocks> split) {
    return split.stream().map(StageSplit.Blocks::count).toList();
  }

  private static double heaviest(List<Double> weights, List<StageSplit.Blocks> split) {
    return split.stream()
        .mapToDouble(stage -> weights.subList(stage.first(), stage.end()).stream().mapToDouble(Double::doubleValue).sum())
        .max()
        .orElseThrow();
  }

  /** Brute force over all splits. */
  private static double best(List<Double> weights, int first, int stages) {
    if (stages == 1) {
      return weights.subList(first, weights.size()).stream().mapToDouble(Double::doubleValue).sum();
    }
    double best = Double.POSITIVE_INFINITY;
    double sum = 0;
    for (int end = first + 1; end <= weights.size() - stages + 1; end++) {
      sum += weights.get(end - 1);
      best = Math.min(best, Math.max(sum, best(weights, end, stages - 1)));
    }
    return best;
  }
}
