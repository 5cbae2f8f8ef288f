package io.hirundo.devicecpu.internal.optimizer;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Operands;
import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.tensor.DType;

/** The tensors of an AdamW step with moments in 8 bits, checked. */
record Adam8BitOperands(
    CpuTensor gradient, CpuTensor parameter, CpuTensor firstQuantized, CpuTensor firstScales, CpuTensor secondQuantized, CpuTensor secondScales) {
  static Adam8BitOperands of(AdamW8BitKernels.Update update) {
    CpuTensor parameter = Operands.of("parameterN", update.parameterN(), DType.FP32);
    long elements = parameter.elements();
    if (elements % AdamW8BitKernels.BLOCK_ELEMENTS != 0) {
      throw new IllegalArgumentException(
          "parameterN has " + elements + " elements (allowed: a multiple of " + AdamW8BitKernels.BLOCK_ELEMENTS + ")");
    }
    long words = elements / AdamW8BitKernels.VALUES_OF_WORD;
    long blocks = elements / AdamW8BitKernels.BLOCK_ELEMENTS;
    return new Adam8BitOperands(
        Operands.vector("gradientN", update.gradientN(), elements, DType.FP32),
        parameter,
        Operands.vector("first.quantized", update.first().quantized(), words, DType.INT32),
        Operands.vector("first.scales", update.first().scales(), blocks, DType.FP32),
        Operands.vector("second.quantized", update.second().quantized(), words, DType.INT32),
        Operands.vector("second.scales", update.second().scales(), blocks, DType.FP32));
  }
}
