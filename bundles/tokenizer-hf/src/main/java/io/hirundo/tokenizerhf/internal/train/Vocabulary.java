package io.hirundo.tokenizerhf.internal.train;

import java.util.List;

/**
 * What training has found.
 *
 * @param tokens by id, spelled in {@link ByteAlphabet}
 * @param merges in the order in which they apply
 * @param sampleTokens tokens that the whole sample comes to
 */
record Vocabulary(List<String> tokens, List<Merge> merges, long sampleTokens) {
    Vocabulary {
        tokens = List.copyOf(tokens);
        merges = List.copyOf(merges);
    }
}
