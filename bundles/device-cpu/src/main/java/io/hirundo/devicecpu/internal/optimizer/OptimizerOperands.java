package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** The four tensors of an AdamW step, checked: of as many elements and of one floating type. */
record OptimizerOperands(CpuTensor gradient, CpuTensor parameter, CpuTensor firstMoment, CpuTensor secondMoment) {
    static OptimizerOperands of(Tensor gradientN, Tensor parameterN, Tensor firstMomentN, Tensor secondMomentN) {
        CpuTensor parameter = CpuTensor.CHECK.floating("parameterN", parameterN);
        long elements = parameter.elements();
        DType dtype = parameter.dtype();
        return new OptimizerOperands(
                CpuTensor.CHECK.vector("gradientN", gradientN, elements, dtype),
                parameter,
                CpuTensor.CHECK.vector("firstMomentN", firstMomentN, elements, dtype),
                CpuTensor.CHECK.vector("secondMomentN", secondMomentN, elements, dtype));
    }

    static CpuTensor scalar(String operand, Tensor tensor) {
        return CpuTensor.CHECK.vector(operand, tensor, 1, DType.FP64);
    }

    boolean isFp32() {
        return parameter.dtype() == DType.FP32;
    }
}
