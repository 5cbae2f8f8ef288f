package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.NormKernels;
import io.hirundo.tensor.Tensor;

/**
 * RMSNorm. Operations per element: forward 4, with residual add 5, reapply 2; input gradient 6, with a residual 7; weight
 * gradient 3.
 */
record MetaNorm(Work work) implements NormKernels {
    @Override
    public void forward(Queue queue, Tensor xTC, Tensor weightC, double epsilon, Tensor yTC, Tensor inverseRmsT) {
        MetaTensor x = MetaTensor.CHECK.floating("xTC", xTC);
        MetaTensor weight = weight(x, "weightC", weightC);
        work.book(queue, "norm.forward", 4 * x.elements(), x, weight, like(x, "yTC", yTC), inverseRms(x, inverseRmsT));
    }

    @Override
    public void addForward(
            Queue queue,
            Tensor xTC,
            Tensor deltaTC,
            Tensor weightC,
            double epsilon,
            Tensor sumTC,
            Tensor yTC,
            Tensor inverseRmsT) {
        MetaTensor x = MetaTensor.CHECK.floating("xTC", xTC);
        MetaTensor delta = like(x, "deltaTC", deltaTC);
        MetaTensor sum = like(x, "sumTC", sumTC);
        MetaTensor y = like(x, "yTC", yTC);
        long inputBytes =
                x.byteSize() + delta.byteSize() + weight(x, "weightC", weightC).byteSize();
        long outputBytes =
                sum.byteSize() + y.byteSize() + inverseRms(x, inverseRmsT).byteSize();
        work.bookBytes(queue, "norm.addForward", 5 * x.elements(), inputBytes + outputBytes);
    }

    @Override
    public void reapply(Queue queue, Tensor xTC, Tensor weightC, Tensor inverseRmsT, Tensor yTC) {
        MetaTensor x = MetaTensor.CHECK.floating("xTC", xTC);
        MetaTensor weight = weight(x, "weightC", weightC);
        work.book(queue, "norm.reapply", 2 * x.elements(), x, weight, inverseRms(x, inverseRmsT), like(x, "yTC", yTC));
    }

    @Override
    public void backwardInput(
            Queue queue,
            Tensor dyTC,
            Tensor xTC,
            Tensor weightC,
            Tensor inverseRmsT,
            Tensor residualGradientTC,
            Tensor dxTC) {
        MetaTensor x = MetaTensor.CHECK.floating("xTC", xTC);
        MetaTensor dy = like(x, "dyTC", dyTC);
        MetaTensor dx = like(x, "dxTC", dxTC);
        long operationsPerElement = 6;
        long bytes = dy.byteSize()
                + x.byteSize()
                + weight(x, "weightC", weightC).byteSize()
                + inverseRms(x, inverseRmsT).byteSize();
        if (residualGradientTC != null) {
            operationsPerElement = 7;
            bytes += like(x, "residualGradientTC", residualGradientTC).byteSize();
        }
        work.bookBytes(queue, "norm.backwardInput", operationsPerElement * x.elements(), bytes + dx.byteSize());
    }

    @Override
    public void backwardWeight(Queue queue, Tensor dyTC, Tensor xTC, Tensor inverseRmsT, Tensor dwC) {
        MetaTensor x = MetaTensor.CHECK.floating("xTC", xTC);
        MetaTensor dw = weight(x, "dwC", dwC);
        work.book(
                queue,
                "norm.backwardWeight",
                3 * x.elements(),
                like(x, "dyTC", dyTC),
                x,
                inverseRms(x, inverseRmsT),
                dw);
    }

    private static MetaTensor like(MetaTensor x, String name, Tensor tensor) {
        return MetaTensor.CHECK.matrix(name, tensor, x.shape().rows(), x.shape().columns(), x.dtype());
    }

    /** The weight may be FP32 with BF16 activations. */
    private static MetaTensor weight(MetaTensor x, String name, Tensor tensor) {
        return MetaTensor.CHECK.vector(
                name, tensor, x.shape().columns(), x.dtype(), x.dtype().statisticsType());
    }

    private static MetaTensor inverseRms(MetaTensor x, Tensor inverseRmsT) {
        return MetaTensor.CHECK.vector(
                "inverseRmsT", inverseRmsT, x.shape().rows(), x.dtype().statisticsType());
    }
}
