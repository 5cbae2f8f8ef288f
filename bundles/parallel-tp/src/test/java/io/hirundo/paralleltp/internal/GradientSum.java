package io.hirundo.paralleltp.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.ParameterPart;
import io.hirundo.model.Replicas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whole gradients from what ranks found, by the rules of {@link Replicas}; refuses replicas that do not agree. */
final class GradientSum {
  private final Map<String, double[]> sums = new TreeMap<>();
  private final Map<String, int[]> holders = new HashMap<>();
  private final Map<List<Object>, double[]> same = new HashMap<>();

  static Map<String, double[]> of(List<List<TestLocalLayers.Found>> ranks) {
    var sum = new GradientSum();
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (TestLocalLayers.Found found : ranks.get(rank)) {
        sum.add(rank, found.part(), found.values());
      }
    }
    sum.holders.forEach(
        (path, held) -> assertTrue(Arrays.stream(held).allMatch(count -> count == held[0]), path + " is held unevenly"));
    return sum.sums;
  }

  private void add(int rank, ParameterPart part, double[] values) {
    Replicas replicas = part.replicas();
    if (!replicas.ranks().isEmpty()) {
      assertEquals(Meeting.FIRST_WORLD_RANK + rank, replicas.ranks().get(replicas.index()), part.path());
    }
    boolean counts = replicas.partialGradients() || replicas.isFirst();
    if (!replicas.partialGradients()) {
      double[] first = same.computeIfAbsent(new ArrayList<>(List.of(part.path(), part.offset())), key -> values);
      assertArrayEquals(first, values, part.path() + " differs between ranks that hold the same");
    }
    double[] whole = sums.computeIfAbsent(part.path(), path -> new double[(int) part.globalShape().elements()]);
    int[] held = holders.computeIfAbsent(part.path(), path -> new int[whole.length]);
    boolean matrix = part.shape().rank() == 2;
    int columns = matrix ? (int) part.shape().dim(1) : 1;
    int width = matrix ? (int) part.globalShape().dim(1) : 1;
    int firstColumn = matrix ? part.offset().get(1).intValue() : 0;
    for (int i = 0; i < values.length; i++) {
      int at = (part.offset().getFirst().intValue() + i / columns) * width + firstColumn + i % columns;
      held[at]++;
      if (counts) {
        whole[at] += values[i];
      }
    }
  }
}
