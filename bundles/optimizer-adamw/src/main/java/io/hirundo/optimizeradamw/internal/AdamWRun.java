package io.hirundo.optimizeradamw.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW bound to the parameters of a run; one kernel a parameter, in their order. */
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
    AdamWCoefficients matrices = coefficients(step, learningRate, options.weightDecay());
    AdamWCoefficients vectors = coefficients(step, learningRate, 0);
    for (Moments each : moments) {
      Parameter parameter = each.parameter();
      kernels.adamW(
          queue,
          parameter.spec().isMatrix() ? matrices : vectors,
          gradientCoefficient1,
          parameter.gradient(),
          parameter.value(),
          each.first(),
          each.second());
    }
  }

  @Override
  public List<State> state() {
    return moments.stream().flatMap(Moments::state).toList();
  }

  @Override
  public void close() {
    moments.forEach(Moments::close);
  }

  private AdamWCoefficients coefficients(long step, double learningRate, double weightDecay) {
    return new AdamWCoefficients(learningRate, options.beta1(), options.beta2(), options.epsilon(), weightDecay, step);
  }
}
