package io.hirundo.testkit.layer;

import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.WeightSpec;
import io.hirundo.parallel.Sharding;
import io.hirundo.testkit.trial.ElementIndices;
import io.hirundo.testkit.trial.TrialValues;
import java.util.List;
import java.util.Set;

/**
 * What the ranks of a layout made, against one rank.
 *
 * @param alone of one rank
 * @param ranks in rank order
 */
record RankComparison(LayerSpec<?> spec, SplitLayout layout, RankPass alone, List<RankPass> ranks) {
  /** Ranks add in another order than one rank, in FP64. */
  private static final double TOLERANCE = 1e-11;

  void requireOutputs() {
    for (RankPass rank : ranks) {
      for (int i = 0; i < spec.outputs().size(); i++) {
        Activation output = spec.outputs().get(i);
        double[] expected = rank.split().cut(output, alone.trained().outputs().get(i));
        requireClose("output " + i + " of rank " + rank.split().rank(), expected, rank.trained().outputs().get(i));
      }
    }
  }

  /** Each rank of the tensor axis has the loss of its tokens. */
  void requireLoss() {
    double sum = 0;
    for (RankPass rank : ranks) {
      int tensor = coordinate(rank, Axis.TENSOR);
      sum += tensor == 0 ? rank.trained().loss() : 0;
      RankPass first = ranks.get(rank.split().rank() - tensor);
      requireClose(
          "the loss of rank " + rank.split().rank(), new double[] {first.trained().loss()}, new double[] {rank.trained().loss()});
    }
    requireClose("the loss of all ranks", new double[] {alone.trained().loss()}, new double[] {sum});
  }

  /** Complete on each rank, except those of shared key/value heads, which are sums over the holders of a head. */
  void requireInputGradients() {
    for (int i = 0; i < spec.inputs().size(); i++) {
      Activation input = spec.inputs().get(i);
      double[] expected = alone.trained().inputGradients().get(i);
      int width = (int) input.channels();
      var shared = new double[expected.length];
      var isShared = new boolean[expected.length];
      for (RankPass rank : ranks) {
        double[] values = rank.trained().inputGradients().get(i);
        int at = 0;
        for (int row : rank.split().rows(input)) {
          for (int column : rank.split().columns(input)) {
            int index = row * width + column;
            if (rank.split().sharesGradient(input, column)) {
              isShared[index] = true;
              shared[index] += values[at];
            } else {
              requireClose(
                  "element (" + row + ", " + column + ") of the gradient of input " + i + " on rank " + rank.split().rank(),
                  new double[] {expected[index]}, new double[] {values[at]});
            }
            at++;
          }
        }
      }
      for (int index = 0; index < expected.length; index++) {
        if (isShared[index]) {
          requireClose(
              "element " + index + " of the gradient of input " + i + ", summed over the holders of its head",
              new double[] {expected[index]}, new double[] {shared[index]});
        }
      }
    }
  }

  /** Reduced as {@link Sharding#placement} derives. */
  void requireGradients() {
    for (RankPass.Gradient complete : alone.gradients()) {
      String path = complete.part().path();
      WeightSpec weight = weight(path);
      Sharding.Placement placement = layout.sharding().placement(weight);
      var sum = new double[complete.values().length];
      for (RankPass rank : ranks) {
        RankPass.Gradient own = ofWeight(rank, path);
        if (isFirst(rank, placement.replicated())) {
          long[] indices = ElementIndices.of(own.part());
          for (int i = 0; i < indices.length; i++) {
            sum[(int) indices[i]] += own.values()[i];
          }
        } else {
          RankPass first = ranks.get(firstRank(rank, placement.replicated()));
          requireClose(
              "the gradient of " + path + ", which is replicated along " + placement.replicated() + ", on rank " + rank.split().rank(),
              ofWeight(first, path).values(), own.values());
        }
      }
      requireClose("the gradient of " + path + ", summed along " + placement.partial(), complete.values(), sum);
    }
  }

  private WeightSpec weight(String path) {
    return spec.weights().stream()
        .filter(weight -> weight.path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the layer has the weight " + path + ", which its spec does not declare"));
  }

  private RankPass.Gradient ofWeight(RankPass rank, String path) {
    return rank.gradients().stream()
        .filter(gradient -> gradient.part().path().equals(path))
        .findFirst()
        .orElseThrow(() -> new AssertionError(layout + ": rank " + rank.split().rank() + " has no weight " + path));
  }

  private boolean isFirst(RankPass rank, Set<Axis> axes) {
    return axes.stream().allMatch(axis -> coordinate(rank, axis) == 0);
  }

  /** The rank at the begin of these axes. */
  private int firstRank(RankPass rank, Set<Axis> axes) {
    return layout.mesh().ranksAlong(rank.split().rank(), axes).getFirst();
  }

  private int coordinate(RankPass rank, Axis axis) {
    return layout.mesh().coordinate(rank.split().rank(), axis);
  }

  private void requireClose(String what, double[] expected, double[] actual) {
    TrialValues.requireClose(layout + ": " + what, expected, actual, TOLERANCE);
  }
}
