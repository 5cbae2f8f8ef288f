package io.hirundo.kernel;

import io.hirundo.tensor.Tensor;

/**
 * Queries, keys and values, head-major, or their gradients. Whoever allocated the three closes them.
 *
 * @param queryBHSD [B, H, S, D]
 * @param keyBGSD [B, G, S of keys, D]
 * @param valueBGSD as the keys
 */
public record QueryKeyValue(Tensor queryBHSD, Tensor keyBGSD, Tensor valueBGSD) {}
