package io.hirundo.kernel.attention;

import io.hirundo.tensor.Tensor;

/**
 * Documents in the sequences of an attention. Queries do not attend to keys of earlier documents.
 *
 * @param startsBS INT32 [B, S]: position in the sequence where each query's document starts; never decreases within a sequence
 * @param firstKey position in its sequence of the first key of each sequence
 */
public record DocumentBounds(Tensor startsBS, int firstKey) {}
