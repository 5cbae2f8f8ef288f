package io.hirundo.model;

import java.util.List;

/**
 * A model as an architecture declares it.
 *
 * @param vocabulary V
 * @param hidden C
 * @param maximumSequenceTokens longest sequence
 * @param blocks embedding, layers, head
 */
public record ModelSpec(long vocabulary, long hidden, int maximumSequenceTokens, List<BlockSpec> blocks) {
    public ModelSpec {
        blocks = List.copyOf(blocks);
    }
}
