package io.hirundo.lib.transformer;

import io.hirundo.kernel.NormKernels;
import io.hirundo.model.layer.NormLayer;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * RMSNorm over the channels of each row (Zhang and Sennrich 2019, arXiv 1910.07467), of whatever rows this rank has.
 *
 * @param weightC the scale of each channel, less the offset; belongs to the caller
 * @param weightOffset what is added to the weight
 */
public record PlainNorm(Parameter weightC, double epsilon, double weightOffset) implements NormLayer {
    /** Work with the scale of each channel. */
    @FunctionalInterface
    private interface ScaleUse {
        void with(Tensor scaleC);
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weightC);
    }

    @Override
    public Normalized forward(StepContext context, Tensor xTC) {
        Normalized out = allocate(context, xTC);
        scaled(
                context,
                scaleC ->
                        kernels(context).forward(context.queue(), xTC, scaleC, epsilon, out.yTC(), out.inverseRmsT()));
        return out;
    }

    @Override
    public Normalized addForward(StepContext context, Tensor xTC, Tensor deltaTC) {
        Normalized out = allocate(context, xTC);
        scaled(
                context,
                scaleC -> kernels(context)
                        .addForward(
                                context.queue(), xTC, deltaTC, scaleC, epsilon, deltaTC, out.yTC(), out.inverseRmsT()));
        return out;
    }

    @Override
    public Tensor reapply(StepContext context, Tensor xTC, Tensor inverseRmsT) {
        Tensor yTC = context.allocate(xTC.shape());
        scaled(context, scaleC -> kernels(context).reapply(context.queue(), xTC, scaleC, inverseRmsT, yTC));
        return yTC;
    }

    @Override
    public Tensor backwardInput(
            StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor residualGradientTC) {
        Tensor dxTC = context.allocate(xTC.shape());
        scaled(
                context,
                scaleC -> kernels(context)
                        .backwardInput(context.queue(), dyTC, xTC, scaleC, inverseRmsT, residualGradientTC, dxTC));
        return dxTC;
    }

    @Override
    public void backwardWeight(StepContext context, Tensor dyTC, Tensor xTC, Tensor inverseRmsT) {
        kernels(context).backwardWeight(context.queue(), dyTC, xTC, inverseRmsT, weightC.gradient());
    }

    /** The weight plus its offset, in at least FP32, because 1 + w rounded to BF16 would lose most of a small w. */
    private void scaled(StepContext context, ScaleUse use) {
        if (weightOffset == 0) {
            use.with(weightC.value());
            return;
        }
        var elementwise = context.device().kernels().elementwise();
        try (Tensor scaleC = context.allocateStatistics(weightC.value().shape())) {
            elementwise.fill(context.queue(), scaleC, weightOffset);
            elementwise.add(context.queue(), weightC.value(), scaleC);
            use.with(scaleC);
        }
    }

    private static Normalized allocate(StepContext context, Tensor xTC) {
        return new Normalized(
                context.allocate(xTC.shape()),
                context.allocateStatistics(Shape.of(xTC.shape().dim(0))));
    }

    private static NormKernels kernels(StepContext context) {
        return context.device().kernels().norm();
    }
}
