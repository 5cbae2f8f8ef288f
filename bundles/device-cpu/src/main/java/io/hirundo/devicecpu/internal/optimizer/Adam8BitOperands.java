package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.tensor.DType;

/** The tensors of an AdamW step with moments in 8 bits. */
record Adam8BitOperands(
        CpuTensor gradient,
        CpuTensor parameter,
        CpuTensor firstQuantized,
        CpuTensor firstScales,
        CpuTensor secondQuantized,
        CpuTensor secondScales) {
    static Adam8BitOperands of(AdamW8BitKernels.Update update) {
        return new Adam8BitOperands(
                CpuTensor.CHECK.of("gradientN", update.gradientN(), DType.FP32),
                CpuTensor.CHECK.of("parameterN", update.parameterN(), DType.FP32),
                CpuTensor.CHECK.of("first.quantized", update.first().quantized(), DType.INT32),
                CpuTensor.CHECK.of("first.scales", update.first().scales(), DType.FP32),
                CpuTensor.CHECK.of("second.quantized", update.second().quantized(), DType.INT32),
                CpuTensor.CHECK.of("second.scales", update.second().scales(), DType.FP32));
    }
}
