package io.hirundo.devicemeta.internal.kernel.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Optimizer step. Operations per element: sum of squares 2, AdamW 15. The clipping coefficient takes 4 in total. */
public record MetaOptimizer(Work work) implements OptimizerKernels {
    @Override
    public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
        MetaTensor summed = MetaTensor.CHECK.floating("x", x);
        work.book(queue, "optimizer.addSumOfSquares", 2 * summed.elements(), summed, scalar("sum1", sum1));
    }

    @Override
    public void clipCoefficient(
            Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
        work.book(
                queue,
                "optimizer.clipCoefficient",
                4,
                scalar("sumOfSquares1", sumOfSquares1),
                scalar("norm1", norm1),
                scalar("coefficient1", coefficient1));
    }

    @Override
    public void adamW(
            Queue queue,
            AdamWCoefficients coefficients,
            Tensor gradientCoefficient1,
            Tensor gradientN,
            Tensor parameterN,
            Tensor firstMomentN,
            Tensor secondMomentN) {
        MetaTensor parameter = MetaTensor.CHECK.floating("parameterN", parameterN);
        long elements = parameter.elements();
        work.book(
                queue,
                "optimizer.adamW",
                15 * elements,
                scalar("gradientCoefficient1", gradientCoefficient1),
                MetaTensor.CHECK.vector("gradientN", gradientN, elements, parameter.dtype()),
                parameter,
                MetaTensor.CHECK.vector("firstMomentN", firstMomentN, elements, parameter.dtype()),
                MetaTensor.CHECK.vector("secondMomentN", secondMomentN, elements, parameter.dtype()));
    }

    private static MetaTensor scalar(String name, Tensor tensor) {
        return MetaTensor.CHECK.vector(name, tensor, 1, DType.FP64);
    }
}
