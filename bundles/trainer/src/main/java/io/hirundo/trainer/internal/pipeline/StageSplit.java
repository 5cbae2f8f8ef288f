package io.hirundo.trainer.internal.pipeline;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Splits the blocks of a model into consecutive pipeline stages. */
public final class StageSplit {
  /**
   * The blocks of one stage.
   *
   * @param first index of the first block in the model
   * @param count number of blocks, at least 1
   */
  public record Blocks(int first, int count) {
    public int end() {
      return first + count;
    }
  }

  private StageSplit() {}

  /**
   * The split with the smallest maximum weight of a stage. Among those, the one with the smallest sum of squared weights.
   *
   * @param weights relative FLOPs of each block, including the embedding and the head
   * @param stages number of stages, at most the number of blocks
   */
  public static List<Blocks> balanced(List<Double> weights, int stages) {
    int blocks = weights.size();
    if (stages > blocks) {
      throw new IllegalArgumentException(stages + " stages of " + blocks + " blocks");
    }
    double[] sums = new double[blocks + 1];
    for (int block = 0; block < blocks; block++) {
      sums[block + 1] = sums[block] + weights.get(block);
    }
    double limit = lightestMaximum(sums, stages);
    return leastSquares(sums, stages, limit * (1 + 1e-12));
  }

  /**
   * The split that the configuration requests.
   *
   * @param layers transformer layers of each stage; the embedding is in the first stage, the head in the last one
   */
  public static List<Blocks> given(List<Integer> layers, int blocks, int stages) {
    long sum = layers.stream().mapToLong(Integer::longValue).sum();
    if (layers.size() != stages || sum != blocks - 2 || layers.stream().anyMatch(count -> count < 0)) {
      throw new ConfigurationException(
          "mesh.stageLayers: " + Excerpt.of(layers) + " must be " + stages + " numbers, one a stage, that add up to the model's "
              + (blocks - 2) + " layers");
    }
    var split = new ArrayList<Blocks>();
    int first = 0;
    for (int stage = 0; stage < stages; stage++) {
      int count = layers.get(stage) + (stage == 0 ? 1 : 0) + (stage == stages - 1 ? 1 : 0);
      if (count == 0) {
        throw new ConfigurationException(
            "mesh.stageLayers: stage " + stage + " has no layer; allowed: 0 for the first and the last stage only");
      }
      split.add(new Blocks(first, count));
      first += count;
    }
    return split;
  }

  private static double lightestMaximum(double[] sums, int stages) {
    int blocks = sums.length - 1;
    double[] best = new double[blocks + 1];
    System.arraycopy(sums, 0, best, 0, blocks + 1);
    for (int stage = 2; stage <= stages; stage++) {
      double[] next = new double[blocks + 1];
      Arrays.fill(next, Double.POSITIVE_INFINITY);
      // A larger end makes the last stage heavier, so its best begin never decreases. One pass over the blocks is enough.
      int begin = stage - 1;
      for (int end = stage; end <= blocks; end++) {
        while (begin + 1 < end && heaviest(best, sums, begin + 1, end) <= heaviest(best, sums, begin, end)) {
          begin++;
        }
        next[end] = heaviest(best, sums, begin, end);
      }
      best = next;
    }
    return best[blocks];
  }

  /**
   * The maximum weight if the blocks before {@code begin} are split optimally, and the last stage ranges from {@code begin} to {@code end}.
   */
  private static double heaviest(double[] best, double[] sums, int begin, int end) {
    return Math.max(best[begin], sums[end] - sums[begin]);
  }

  private static List<Blocks> leastSquares(double[] sums, int stages, double limit) {
    int blocks = sums.length - 1;
    double[][] cost = new double[stages + 1][blocks + 1];
    int[][] from = new int[stages + 1][blocks + 1];
    for (double[] row : cost) {
      Arrays.fill(row, Double.POSITIVE_INFINITY);
    }
    cost[0][0] = 0;
    for (int stage = 1; stage <= stages; stage++) {
      for (int end = stage; end <= blocks; end++) {
        // Backwards from the end, because earlier begins only make the stage heavier.
        for (int begin = end - 1; begin >= stage - 1 && sums[end] - sums[begin] <= limit; begin--) {
          double weight = sums[end] - sums[begin];
          double total = cost[stage - 1][begin] + weight * weight;
          // Ties go to the earliest begin.
          if (total <= cost[stage][end]) {
            cost[stage][end] = total;
            from[stage][end] = begin;
          }
        }
      }
    }
    var split = new ArrayList<Blocks>();
    int end = blocks;
    for (int stage = stages; stage > 0; stage--) {
      int begin = from[stage][end];
      split.addFirst(new Blocks(begin, end - begin));
      end = begin;
    }
    return split;
  }
}
