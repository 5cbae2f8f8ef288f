package io.hirundo.kernel.scaled;

import io.hirundo.tensor.Tensor;

/**
 * An 8-bit matrix with scales. Whoever allocated the tensors closes them.
 *
 * @param codesMK quantized values, FP8_E4M3 or FP8_E5M2; all dimensions but the last are rows
 * @param inverseScales FP32, shaped as {@link ScaleBlock#scales} says; dequantization multiplies by them
 * @param block which elements share a scale
 */
public record ScaledMatrix(Tensor codesMK, Tensor inverseScales, ScaleBlock block) {}
