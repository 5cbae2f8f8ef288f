package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Queue;
import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.kernel.OptimizerKernels.AdamWOperands;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;

/** AdamW bound to the parameters of a run: first those with weight decay, then those without. */
final class AdamWRun implements OptimizerRun {
  private final AdamWOptions options;
  private final OptimizerKernels kernels;
  /** Null where no state is in 8 bits. */
  private final AdamW8BitKernels kernels8Bit;
  private final List<ParameterState> states;

  AdamWRun(AdamWOptions options, OptimizerKernels kernels, AdamW8BitKernels kernels8Bit, List<ParameterState> states) {
    this.options = options;
    this.kernels = kernels;
    this.kernels8Bit = kernels8Bit;
    this.states = List.copyOf(states);
  }

  @Override
  public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    for (boolean matrices : new boolean[] {true, false}) {
      double weightDecay = matrices ? options.weightDecay() : 0;
      var coefficients =
          new AdamWCoefficients(learningRate, options.beta1(), options.beta2(), options.epsilon(), weightDecay, step);
      kernels.adamW(queue, coefficients, gradientCoefficient1, of(Moments.class, matrices).map(AdamWRun::operands).toList());
      List<AdamW8BitKernels.Update> updates = of(Moments8Bit.class, matrices).map(Moments8Bit::update).toList();
      if (!updates.isEmpty()) {
        kernels8Bit.adamW(queue, coefficients, gradientCoefficient1, updates);
      }
    }
  }

  private <S extends ParameterState> Stream<S> of(Class<S> type, boolean matrices) {
    return states.stream().filter(type::isInstance).map(type::cast).filter(each -> each.parameter().spec().isMatrix() == matrices);
  }

  private static AdamWOperands operands(Moments moments) {
    Parameter parameter = moments.parameter();
    return new AdamWOperands(parameter.gradient(), parameter.value(), moments.first(), moments.second());
  }

  @Override
  public List<State> state() {
    return states.stream().flatMap(ParameterState::state).toList();
  }

  @Override
  public void close() {
    states.forEach(ParameterState::close);
  }
}
