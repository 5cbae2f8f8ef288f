package io.hirundo.devicecpu.internal.attention.library;

import io.hirundo.devicecpu.internal.attention.AttentionTiles;
import io.hirundo.kernel.attention.AttentionShape;

/** Keys of a head that are multiplied at once: at least two, since libraries sum single columns in another order. */
record KeyBlock(int first, int count) {
    /** With as many, a tile's scores and probabilities stay in the L2 cache. */
    private static final int USUAL = 256;

    static final int MOST = USUAL + 1;

    /** The first block of what a tile of queries sees; empty, of no keys, if it sees none. */
    static KeyBlock first(AttentionShape shape, long startsBS, int sequence, int firstQuery, int queries) {
        int end = end(shape, firstQuery, queries);
        int first = AttentionTiles.firstTile(shape, startsBS, sequence, firstQuery);
        // A single key: one before it, which is masked, or one behind it.
        return new KeyBlock(first > 0 && end - first == 1 ? first - 1 : first, 0).next(end);
    }

    /** The block behind this one; empty if there is none. */
    KeyBlock next(AttentionShape shape, int firstQuery, int queries) {
        return new KeyBlock(first + count, 0).next(end(shape, firstQuery, queries));
    }

    private KeyBlock next(int end) {
        int left = Math.max(0, end - first);
        return new KeyBlock(first, left == MOST ? MOST : Math.min(USUAL, left));
    }

    private static int end(AttentionShape shape, int firstQuery, int queries) {
        int end = AttentionTiles.seen(shape, firstQuery + queries - 1, 0, shape.keyTokens());
        return end == 1 ? 2 : end;
    }
}
