package io.hirundo.devicecpu.internal.arithmetic;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Two tensors, checked: of as many elements and of one floating type. */
record ArithmeticOperands(CpuTensor x, CpuTensor y) {
    static ArithmeticOperands of(Tensor xN, Tensor yN) {
        CpuTensor y = CpuTensor.CHECK.floating("yN", yN);
        return new ArithmeticOperands(CpuTensor.CHECK.vector("xN", xN, y.elements(), y.dtype()), y);
    }

    static double value(Factor factor) {
        double scalar = factor.scalar1()
                .map(tensor ->
                        CpuTensor.CHECK.vector("scalar1", tensor, 1, DType.FP64).getDouble(0))
                .orElse(1.0);
        return factor.value() * scalar;
    }

    boolean isFp64() {
        return y.dtype() == DType.FP64;
    }
}
