package io.hirundo.lib.oracle;

/** Tiles of a matrix: squares, smaller at the edges. */
public final class Tiles {
    /** A fault in a single element is still seen in its tile, and sums over tiles cost a thousandth of the product. */
    public static final int EXTENT = 32;

    private Tiles() {}

    public static int of(long index) {
        return Math.toIntExact(index / EXTENT);
    }

    public static int count(long extent) {
        return Math.toIntExact((extent + EXTENT - 1) / EXTENT);
    }
}
