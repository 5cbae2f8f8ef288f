package io.hirundo.devicecpu.internal.gemm.library;

import io.hirundo.devicecpu.internal.gemm.Blocking;

/** A dimension split into equal tiles; only the last may differ. */
record Cut(int extent, int tile, int tiles) {
    /** Registers of all processors hold this many columns or divisors of it, and AMX sums this many elements of K. */
    static final int ALIGNMENT = 32;

    /** @param largest size of a tile, a multiple of {@link #ALIGNMENT} */
    static Cut of(int extent, int largest) {
        return ofTile(extent, Blocking.divideUp(extent, Blocking.divideUp(extent, largest)));
    }

    private static Cut ofTile(int extent, int size) {
        int tile = Math.min(extent, Blocking.roundUp(size, ALIGNMENT));
        int tiles = Blocking.divideUp(extent, tile);
        // No last tile of one row or column: the one before takes it.
        return new Cut(extent, tile, tiles > 1 && extent - (tiles - 1) * tile == 1 ? tiles - 1 : tiles);
    }

    /** The same dimension in tiles of half the size. */
    Cut halved() {
        return ofTile(extent, Blocking.divideUp(tile, 2));
    }

    int first(int index) {
        return index * tile;
    }

    int size(int index) {
        return index == tiles - 1 ? extent - first(index) : tile;
    }

    boolean isLast(int index) {
        return index == tiles - 1;
    }
}
