package io.hirundo.paralleldp.internal;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.model.Initialization;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.ThreadRanks.Rank;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Blocks of odd sizes whose first and last share a parameter, and a made-up training of them. */
final class Model {
  static final ParameterSpec TIED = spec("embedding", 37, 12);
  static final List<List<ParameterSpec>> BLOCKS =
      List.of(
          List.of(TIED),
          List.of(spec("norm.0", 12), spec("up.0", 31, 12), spec("down.0", 12, 31)),
          List.of(spec("norm.1", 12), spec("up.1", 31, 12), spec("down.1", 12, 31)),
          List.of(spec("norm", 12), TIED));
  static final int ELEMENTS = 37 * 12 + 2 * (12 + 2 * 31 * 12) + 12;

  private Model() {}

  static ParameterSpec spec(String name, long... dims) {
    return new ParameterSpec(name, List.of(ParameterPart.whole(name, Shape.of(dims))), Initialization.ONES);
  }

  /** A value that tells parameter, element and step apart. */
  static double weight(String name, long element, int step) {
    return name.hashCode() % 1000 + element * 1e-3 + step * 1e4;
  }

  static double gradient(String name, long element, int rank, int step) {
    return Math.sin(name.hashCode() + element * 0.7 + rank * 11 + step * 17);
  }

  /** Sets what this rank owns. */
  static void setOwned(ShardedParameters parameters, int step) {
    for (Parameter run : parameters.owned()) {
      var value = (CpuTensor) run.value();
      for (long i = 0; i < value.elements(); i++) {
        value.setDouble(i, weight(run.spec().name(), run.firstElement() + i, step));
      }
    }
  }

  /** Forward and backward of one microbatch that finds {@link #gradient}; checks the weights on its way. */
  static void train(ShardedParameters parameters, Queue queue, int rank, int step) {
    for (int block = 0; block < BLOCKS.size(); block++) {
      parameters.before(queue, block, Kind.FORWARD);
      requireWeights(parameters, block, step);
      parameters.after(queue, block, Kind.FORWARD);
    }
    for (int block = BLOCKS.size() - 1; block >= 0; block--) {
      // Both halves at once, as where a backward is not split.
      parameters.before(queue, block, Kind.BACKWARD_INPUT);
      parameters.before(queue, block, Kind.BACKWARD_WEIGHT);
      requireWeights(parameters, block, step);
      for (Parameter parameter : ofBlock(parameters, block)) {
        boolean shared = parameter.spec() == TIED;
        var gradient = (CpuTensor) parameter.gradient();
        for (long i = 0; i < gradient.elements(); i++) {
          double part = gradient(parameter.spec().name(), i, rank, step);
          gradient.setDouble(i, gradient.getDouble(i) + (shared ? part / 2 : part));
        }
        if (parameters.reducesEveryMicrobatch() || !shared || block == 0) {
          parameters.gradientReady(queue, parameter, List.of());
        }
      }
      parameters.after(queue, block, Kind.BACKWARD_INPUT);
      parameters.after(queue, block, Kind.BACKWARD_WEIGHT);
    }
  }

  /** One of a single microbatch. */
  static void step(ShardedParameters parameters, Rank rank, int step) {
    setOwned(parameters, step);
    parameters.weightsChanged(rank.queue());
    parameters.zeroGradients(rank.queue());
    train(parameters, rank.queue(), rank.group().rank(), step);
    parameters.finishGradients(rank.queue());
  }

  static List<Parameter> ofBlock(ShardedParameters parameters, int block) {
    return BLOCKS.get(block).stream()
        .map(spec -> parameters.parameters().stream().filter(each -> each.spec() == spec).findFirst().orElseThrow())
        .toList();
  }

  static Parameter named(ShardedParameters parameters, String name) {
    return parameters.parameters().stream().filter(each -> each.spec().name().equals(name)).findFirst().orElseThrow();
  }

  static void requireWeights(ShardedParameters parameters, int block, int step) {
    for (Parameter parameter : ofBlock(parameters, block)) {
      var value = (CpuTensor) parameter.value();
      for (long i = 0; i < value.elements(); i++) {
        double expected = weight(parameter.spec().name(), i, step);
        if (value.getDouble(i) != expected) {
          throw new AssertionError(
              parameter.spec().name() + "[" + i + "] is " + value.getDouble(i) + " and not " + expected);
        }
      }
    }
  }

  /** The gradients of what this rank owns, in their order. */
  static List<Double> ownedGradients(ShardedParameters parameters) {
    var values = new ArrayList<Double>();
    for (Parameter run : parameters.owned()) {
      var gradient = (CpuTensor) run.gradient();
      for (long i = 0; i < gradient.elements(); i++) {
        values.add(gradient.getDouble(i));
      }
    }
    return values;
  }
}
