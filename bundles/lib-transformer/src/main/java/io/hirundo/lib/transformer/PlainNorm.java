package io.hirundo.lib.transformer;

import io.hirundo.kernel.NormKernels;
import io.hirundo.model.NormLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * RMSNorm over the channels of each row (Zhang and Sennrich 2019, arXiv 1910.07467), of whatever rows this rank has.
 *
 * @param weightC the scale of each channel; belongs to the caller
 */
public record PlainNorm(Parameter weightC, double epsilon) implements NormLayer {
  @Override
  public List<Parameter> parameters() {
    return List.of(weightC);
  }

  @Override
  public Normalized forward(StepContext context, Tensor xTC) {
    Normalized out = allocate(context, xTC);
    kernels(context).forward(context.queue(), xTC, weightC.value(), epsilon, out.yTC(), out.inverseRmsT());
    return out;
  }

  @Override
  public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
    Normalized out = allocate(context, xTC);
    kernels(context)
        .addForward(context.queue(), xTC, deltaTC, weightC.value(), epsilon, deltaTC, out.yTC(), out.inverseRmsT());
    return out;
  }

  @Override
  public Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT) {
    Tensor yTC = context.allocate(xTC.shape());
    kernels(context).reapply(context.queue(), xTC, weightC.value(), inverseRmsT, yTC);
    return yTC;
  }

  @Override
  public Tensor backwardInput(
      StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC) {
    Tensor dxTC = context.allocate(xTC.shape());
    kernels(context)
        .backwardInput(context.queue(), dyTC, xTC, weightC.value(), inverseRmsT, residualGradientTC, dxTC);
    return dxTC;
  }

  @Override
  public void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT) {
    kernels(context).backwardWeight(context.queue(), dyTC, xTC, inverseRmsT, weightC.gradient());
  }

  private static Normalized allocate(StepContext context, Tensor xTC) {
    return new Normalized(
        context.allocate(xTC.shape()), context.allocateStatistics(Shape.of(xTC.shape().dim(0))));
  }

  private static NormKernels kernels(StepContext context) {
    return context.device().kernels().norm();
  }
}
