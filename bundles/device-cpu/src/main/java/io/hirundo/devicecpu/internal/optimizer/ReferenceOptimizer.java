package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.tensor.Tensor;

/** The kernels of the optimizer step as their formulas say, in double arithmetic, for FP64, FP32 and BF16. */
public final class ReferenceOptimizer implements OptimizerKernels {
    /** As PyTorch's {@code clip_grad_norm_}: keeps the coefficient finite where the norm is 0. */
    private static final double NORM_EPSILON = 1e-6;

    @Override
    public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
        CpuTensor checked = CpuTensor.CHECK.floating("x", x);
        CpuTensor sum = OptimizerOperands.scalar("sum1", sum1);
        double squares = 0;
        for (long first = 0; first < checked.elements(); first += Blocks.ELEMENTS) {
            double block = 0;
            for (long i = first; i < Math.min(checked.elements(), first + Blocks.ELEMENTS); i++) {
                block += checked.getDouble(i) * checked.getDouble(i);
            }
            squares += block;
        }
        sum.setDouble(0, sum.getDouble(0) + squares);
    }

    @Override
    public void clipCoefficient(
            Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
        double norm = Math.sqrt(
                OptimizerOperands.scalar("sumOfSquares1", sumOfSquares1).getDouble(0));
        CpuTensor coefficient = OptimizerOperands.scalar("coefficient1", coefficient1);
        OptimizerOperands.scalar("norm1", norm1).setDouble(0, norm);
        // Math.min keeps a NaN, so that a broken norm is seen; an infinite one must not become NaN where nothing is
        // clipped.
        double clipped = Math.min(1, maximumNorm / (norm + NORM_EPSILON));
        coefficient.setDouble(0, maximumNorm == Double.POSITIVE_INFINITY ? 1 : clipped);
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
        double factor = OptimizerOperands.scalar("gradientCoefficient1", gradientCoefficient1)
                .getDouble(0);
        OptimizerOperands operands = OptimizerOperands.of(gradientN, parameterN, firstMomentN, secondMomentN);
        double beta1 = coefficients.beta1();
        double beta2 = coefficients.beta2();
        double rate = coefficients.learningRate() / (1 - Math.pow(beta1, coefficients.step()));
        double root = Math.sqrt(1 - Math.pow(beta2, coefficients.step()));
        double decay = 1 - coefficients.learningRate() * coefficients.weightDecay();
        for (long i = 0; i < operands.parameter().elements(); i++) {
            double g = factor * operands.gradient().getDouble(i);
            double m = beta1 * operands.firstMoment().getDouble(i) + (1 - beta1) * g;
            double v = beta2 * operands.secondMoment().getDouble(i) + (1 - beta2) * g * g;
            operands.firstMoment().setDouble(i, m);
            operands.secondMoment().setDouble(i, v);
            double p = decay * operands.parameter().getDouble(i);
            operands.parameter().setDouble(i, p - rate * m / (Math.sqrt(v) / root + coefficients.epsilon()));
        }
    }
}
