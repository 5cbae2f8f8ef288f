package io.hirundo.kernel.attention;

import io.hirundo.tensor.Tensor;

/**
 * Queries, keys and values, head-major, or their gradients. Whoever allocated the tensors closes them.
 *
 * @param queryBHSD [B, H, S, D]
 * @param keyBGSD [B, G, key tokens, D]
 * @param valueBGSD same shape as the keys
 */
public record QueryKeyValue(Tensor queryBHSD, Tensor keyBGSD, Tensor valueBGSD) {}
