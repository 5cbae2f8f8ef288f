package io.hirundo.devicecpu.internal.arithmetic;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Arithmetic with the Vector API, for FP32, and for BF16 that is widened block by block. FP64 goes to {@link ReferenceArithmetic}.
 */
public final class VectorArithmetic implements ArithmeticKernels {
    private final WorkerPool pool;
    private final ReferenceArithmetic reference = new ReferenceArithmetic();

    public VectorArithmetic(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN) {
        var operands = ArithmeticOperands.of(xN, yN);
        if (operands.isFp64()) {
            reference.axpby(queue, a, xN, b, yN);
            return;
        }
        float factor = (float) ArithmeticOperands.value(a);
        float kept = (float) b;
        if (b == 0) {
            combine(operands, (x, count, y) -> ArithmeticLoops.scaled(x, factor, count, y));
        } else {
            combine(operands, (x, count, y) -> ElementwiseLoops.mix(x, factor, count, y, kept));
        }
    }

    @Override
    public void multiply(Queue queue, Tensor xN, Tensor yN) {
        var operands = ArithmeticOperands.of(xN, yN);
        if (operands.isFp64()) {
            reference.multiply(queue, xN, yN);
        } else {
            combine(operands, (x, count, y) -> ElementwiseLoops.product(y, x, count, y));
        }
    }

    @Override
    public void divide(Queue queue, Tensor xN, double epsilon, Tensor yN) {
        var operands = ArithmeticOperands.of(xN, yN);
        if (operands.isFp64()) {
            reference.divide(queue, xN, epsilon, yN);
        } else {
            combine(operands, (x, count, y) -> ArithmeticLoops.divide(x, (float) epsilon, count, y));
        }
    }

    @Override
    public void squareRoot(Queue queue, Tensor xN) {
        CpuTensor x = CpuTensor.CHECK.floating("xN", xN);
        if (x.dtype() == DType.FP64) {
            reference.squareRoot(queue, xN);
        } else {
            replace(x, ArithmeticLoops::squareRoot);
        }
    }

    @Override
    public void sign(Queue queue, Tensor xN) {
        CpuTensor x = CpuTensor.CHECK.floating("xN", xN);
        if (x.dtype() == DType.FP64) {
            reference.sign(queue, xN);
        } else {
            replace(x, ArithmeticLoops::sign);
        }
    }

    /** FP32 work on elements of two tensors, by address. */
    @FunctionalInterface
    private interface Combination {
        void run(long x, int count, long y);
    }

    private void combine(ArithmeticOperands operands, Combination combination) {
        Blocks.elements(pool, operands.y().elements(), (first, count, scratch) -> {
            WideSpan x = WideSpan.of(operands.x(), count, scratch);
            WideSpan y = WideSpan.of(operands.y(), count, scratch);
            combination.run(x.read(first, count), count, y.read(first, count));
            y.store(first, count);
        });
    }

    /** FP32 work on elements in place, by address. */
    @FunctionalInterface
    private interface Replacement {
        void run(long x, int count);
    }

    private void replace(CpuTensor x, Replacement replacement) {
        Blocks.elements(pool, x.elements(), (first, count, scratch) -> {
            WideSpan span = WideSpan.of(x, count, scratch);
            replacement.run(span.read(first, count), count);
            span.store(first, count);
        });
    }
}
