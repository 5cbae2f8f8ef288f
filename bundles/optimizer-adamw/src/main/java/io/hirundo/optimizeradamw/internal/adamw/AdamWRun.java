package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Queue;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.kernel.OptimizerKernels.AdamWOperands;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW bound to the parameters of a run: first those with weight decay, then those without. */
final class AdamWRun implements OptimizerRun {
  private final AdamWOptions options;
  private final OptimizerKernels kernels;
  private final List<Moments> moments;

  AdamWRun(AdamWOptions options, OptimizerKernels kernels, List<Moments> moments) {
    this.options = options;
    this.kernels = kernels;
    this.moments = List.copyOf(moments);
  }

  @Override
  public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    for (boolean matrices : new boolean[] {true, false}) {
      double weightDecay = matrices ? options.weightDecay() : 0;
      var coefficients =
          new AdamWCoefficients(learningRate, options.beta1(), options.beta2(), options.epsilon(), weightDecay, step);
      List<AdamWOperands> operands =
          moments.stream()
              .filter(each -> each.parameter().spec().isMatrix() == matrices)
              .map(AdamWRun::operands)
              .toList();
      kernels.adamW(queue, coefficients, gradientCoefficient1, operands);
    }
  }

  private static AdamWOperands operands(Moments moments) {
    Parameter parameter = moments.parameter();
    return new AdamWOperands(parameter.gradient(), parameter.value(), moments.first(), moments.second());
  }

  @Override
  public List<State> state() {
    return moments.stream().flatMap(Moments::state).toList();
  }

  @Override
  public void close() {
    moments.forEach(Moments::close);
  }
}
