package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.device.Queue;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.OptimizerKernels;
import io.hirundo.kernel.OptimizerKernels.AdamWOperands;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** AdamW bound to the parameters of a run: first those with weight decay, then those without. */
final class AdamWRun implements OptimizerRun {
  private final AdamWOptions options;
  private final OptimizerKernels kernels;
  private final List<Parameter> parameters;
  private final StateTensors moments;

  AdamWRun(AdamWOptions options, OptimizerKernels kernels, List<Parameter> parameters, StateTensors moments) {
    this.options = options;
    this.kernels = kernels;
    this.parameters = List.copyOf(parameters);
    this.moments = moments;
  }

  @Override
  public void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    for (boolean matrices : new boolean[] {true, false}) {
      double weightDecay = matrices ? options.weightDecay() : 0;
      var coefficients =
          new AdamWCoefficients(learningRate, options.beta1(), options.beta2(), options.epsilon(), weightDecay, step);
      List<AdamWOperands> operands =
          parameters.stream().filter(each -> each.spec().isMatrix() == matrices).map(this::operands).toList();
      kernels.adamW(queue, coefficients, gradientCoefficient1, operands);
    }
  }

  private AdamWOperands operands(Parameter parameter) {
    return new AdamWOperands(
        parameter.gradient(),
        parameter.value(),
        moments.of(parameter, AdamW.FIRST_MOMENT),
        moments.of(parameter, AdamW.SECOND_MOMENT));
  }

  @Override
  public List<State> state() {
    return moments.list();
  }

  @Override
  public void close() {
    moments.close();
  }
}
