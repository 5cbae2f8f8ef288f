package io.hirundo.kernel;

import io.hirundo.tensor.Tensor;

/**
 * A matrix of 8-bit values with scales. Whoever allocated the tensors closes them.
 *
 * @param codesMK FP8_E4M3 or FP8_E5M2; all dimensions but the last are rows
 * @param inverseScales FP32, as {@link ScaleBlock#scales} says: what a block's values are multiplied with
 * @param block what shares a scale
 */
public record ScaledMatrix(Tensor codesMK, Tensor inverseScales, ScaleBlock block) {}
