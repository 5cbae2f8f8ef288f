package io.hirundo.trainer.internal.pipeline;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.input.Excerpt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Cuts the blocks of a model into consecutive stages. */
public final class StageSplit {
  /**
   * The blocks of one stage.
   *
   * @param first index in the model
   * @param count at least 1
   */
  public record Blocks(int first, int count) {
    public int end() {
      return first + count;
    }
  }

  private StageSplit() {}

  /**
   * The split whose heaviest stage is as light as can be, and of those the one whose squared weights sum up to the least.
   *
   * @param weights work of each block, the embedding and the head included
   * @param stages no more than blocks
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
   * A split that was asked for.
   *
   * @param layers transformer layers of each stage; the embedding goes with the first, the head with the last
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
      // With a later end the last stage grows, so its best begin never moves back: a pass over the blocks is enough.
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

  /** Of the stages before {@code begin}, split in the best way, and one from there to {@code end}. */
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
        // From the end: further back the stage is only heavier.
        for (int begin = end - 1; begin >= stage - 1 && sums[end] - sums[begin] <= limit; begin--) {
          double weight = sums[end] - sums[begin];
          double total = cost[stage - 1][begin] + weight * weight;
          // Of equal ones the earliest begin.
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
