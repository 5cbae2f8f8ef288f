package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** The kernels of the optimizer step with the Vector API, for FP32. FP64 and BF16 go to {@link ReferenceOptimizer}. */
public final class VectorOptimizer implements OptimizerKernels {
    private final WorkerPool pool;
    private final ReferenceOptimizer reference = new ReferenceOptimizer();

    public VectorOptimizer(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void addSumOfSquares(Queue queue, Tensor x, Tensor sum1) {
        CpuTensor checked = CpuTensor.CHECK.floating("x", x);
        CpuTensor sum = OptimizerOperands.scalar("sum1", sum1);
        if (checked.dtype() != DType.FP32) {
            reference.addSumOfSquares(queue, x, sum1);
            return;
        }
        // A number for each 32,768 elements: negligible memory.
        double[] sums = new double[Blocks.count(checked.elements(), Blocks.ELEMENTS)];
        Blocks.elements(
                pool,
                checked.elements(),
                (first, count) -> sums[(int) (first / Blocks.ELEMENTS)] =
                        OptimizerLoops.sumOfSquares(checked.address() + first * 4, count));
        double total = 0;
        for (double block : sums) {
            total += block;
        }
        sum.setDouble(0, sum.getDouble(0) + total);
    }

    @Override
    public void clipCoefficient(
            Queue queue, Tensor sumOfSquares1, double maximumNorm, Tensor norm1, Tensor coefficient1) {
        reference.clipCoefficient(queue, sumOfSquares1, maximumNorm, norm1, coefficient1);
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
        if (!operands.isFp32()) {
            reference.adamW(
                    queue, coefficients, gradientCoefficient1, gradientN, parameterN, firstMomentN, secondMomentN);
            return;
        }
        OptimizerLoops loops = new OptimizerLoops(coefficients, factor);
        long gradient = operands.gradient().address();
        long parameter = operands.parameter().address();
        long first = operands.firstMoment().address();
        long second = operands.secondMoment().address();
        Blocks.elements(pool, operands.parameter().elements(), (begin, count) -> {
            long at = begin * 4;
            loops.adamW(gradient + at, parameter + at, first + at, second + at, count);
        });
    }
}
