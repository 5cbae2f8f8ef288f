package io.hirundo.optimizermuon.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.lib.optimizer.AdamWUpdate;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** Muon bound to the parameters of a run. */
final class MuonRun implements OptimizerRun {
  /** The root mean square of an update of AdamW, which Moonlight measured; so both take the same learning rate. */
  private static final double UPDATE_SIZE = 0.2;

  private final MuonOptions options;
  private final OptimizerKernels kernels;
  private final ArithmeticKernels arithmetic;
  private final NewtonSchulz newtonSchulz;
  private final List<Parameter> matrices;
  private final List<Parameter> others;
  private final StateTensors states;
  private final AdamWUpdate adamW;

  /**
   * @param newtonSchulz owned
   * @param matrices complete parameters that Muon updates
   * @param others what AdamW updates
   * @param states of both; owned
   */
  MuonRun(
      MuonOptions options,
      OptimizerKernels kernels,
      ArithmeticKernels arithmetic,
      NewtonSchulz newtonSchulz,
      List<Parameter> matrices,
      List<Parameter> others,
      StateTensors states) {
    this.options = options;
    this.kernels = kernels;
    this.arithmetic = arithmetic;
    this.newtonSchulz = newtonSchulz;
    this.matrices = matrices;
    this.others = others;
    this.states = states;
    adamW = new AdamWUpdate(options.beta1(), options.beta2(), options.epsilon(), options.weightDecay());
  }

  @Override
  public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    for (Parameter parameter : matrices) {
      Tensor momentum = states.of(parameter, Muon.MOMENTUM);
      arithmetic.axpby(queue, Factor.of(1, gradientCoefficient1), parameter.gradient(), options.momentum(), momentum);
      long first = 0;
      for (ParameterPart part : parameter.spec().parts()) {
        update(queue, parameter, first, part.shape(), learningRate, gradientCoefficient1);
        first += part.shape().elements();
      }
    }
    adamW.step(queue, kernels, WeightUpdates.inPlace(), others, states, step, learningRate, gradientCoefficient1);
  }

  /** Parts are separate matrices of the model: query, key and value weights, for instance, are not orthogonal to each other. */
  private void update(Queue queue, Parameter parameter, long first, Shape shape, double learningRate, Tensor gradientCoefficient1) {
    Tensor matrix = newtonSchulz.matrix(shape);
    Tensor momentum = states.of(parameter, Muon.MOMENTUM).view(first, shape);
    if (options.nesterov()) {
      arithmetic.axpby(queue, Factor.of(1, gradientCoefficient1), parameter.gradient().view(first, shape), 0, matrix);
      arithmetic.axpby(queue, Factor.of(options.momentum()), momentum, 1, matrix);
    } else {
      arithmetic.axpby(queue, Factor.of(1), momentum, 0, matrix);
    }
    Tensor orthogonal = newtonSchulz.orthogonalize(queue, shape, options.iterations());
    // An orthogonal matrix [R, C] has a root mean square of 1 / sqrt(max(R, C)).
    double rate = learningRate * UPDATE_SIZE * Math.sqrt(Math.max(shape.dim(0), shape.dim(1)));
    double kept = 1 - learningRate * options.weightDecay();
    arithmetic.axpby(queue, Factor.of(-rate), orthogonal, kept, parameter.value().view(first, shape));
  }

  @Override
  public List<State> state() {
    return states.list();
  }

  @Override
  public void close() {
    states.close();
    newtonSchulz.close();
  }
}
