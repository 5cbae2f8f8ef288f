package io.hirundo.devicecpu.internal.arithmetic;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.Tensor;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Arithmetic an element at a time, in double arithmetic, for FP64, FP32 and BF16. */
public final class ReferenceArithmetic implements ArithmeticKernels {
    @Override
    public void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN) {
        double factor = ArithmeticOperands.value(a);
        combine(xN, yN, (x, y) -> b == 0 ? factor * x : factor * x + b * y);
    }

    @Override
    public void multiply(Queue queue, Tensor xN, Tensor yN) {
        combine(xN, yN, (x, y) -> y * x);
    }

    @Override
    public void divide(Queue queue, Tensor xN, double epsilon, Tensor yN) {
        combine(xN, yN, (x, y) -> y / (x + epsilon));
    }

    @Override
    public void squareRoot(Queue queue, Tensor xN) {
        replace(xN, Math::sqrt);
    }

    @Override
    public void sign(Queue queue, Tensor xN) {
        replace(xN, Math::signum);
    }

    private static void combine(Tensor xN, Tensor yN, DoubleBinaryOperator operation) {
        var operands = ArithmeticOperands.of(xN, yN);
        for (long i = 0; i < operands.y().elements(); i++) {
            operands.y()
                    .setDouble(
                            i,
                            operation.applyAsDouble(
                                    operands.x().getDouble(i), operands.y().getDouble(i)));
        }
    }

    private static void replace(Tensor xN, DoubleUnaryOperator operation) {
        CpuTensor x = CpuTensor.CHECK.floating("xN", xN);
        for (long i = 0; i < x.elements(); i++) {
            x.setDouble(i, operation.applyAsDouble(x.getDouble(i)));
        }
    }
}
