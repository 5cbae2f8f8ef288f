package io.hirundo.parallelpp.internal.csv;

/** Maps a rank's chunks to stages. */
public enum ChunkPlacement {
    /** Chunk c of rank r of P is stage {@code c P + r}: the last rank's chunk c is followed by the first rank's chunk c + 1. */
    LOOP,

    /** Two chunks: rank r is stage r on the way down and {@code 2 P - 1 - r} on the way up. */
    V;

    /** The stage of a rank's chunk. */
    int stage(int ranks, int rank, int chunk) {
        return switch (this) {
            case LOOP -> chunk * ranks + rank;
            case V -> chunk == 0 ? rank : 2 * ranks - 1 - rank;
        };
    }
}
