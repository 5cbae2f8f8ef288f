package io.hirundo.kernel;

import io.hirundo.tensor.Tensor;

/**
 * Documents in the sequences of an attention: a query sees no key of an earlier one.
 *
 * @param startsBS INT32 [B, S]: for each query the place in its sequence where its document begins; never smaller than that of
 *     the query before it in the sequence
 * @param firstKey the place in its sequence of the first key of each sequence
 */
public record DocumentBounds(Tensor startsBS, int firstKey) {}
