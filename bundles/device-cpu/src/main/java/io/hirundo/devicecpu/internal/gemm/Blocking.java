package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.gemm.GemmOperands.Extents;
import io.hirundo.devicecpu.internal.gemm.loops.Microkernel;

/**
 * How a GEMM is split into tiles: by M, N and K alone. The order in which an element of the result is summed follows from {@code
 * kBlock} only, and that from K only.
 *
 * @param kBlock products that are summed in registers before they are added to the result
 * @param span what of b is packed at a time
 * @param tile what of the result is one task
 */
public record Blocking(int kBlock, Span span, Tile tile) {
    /** Rows and columns of op(b). */
    record Span(int k, int columns) {}

    /** Rows and columns of the result. */
    record Tile(int rows, int columns) {}

    /** A strip of packed a stays in the L1 cache; panels of b come from the L2 cache either way. */
    private static final int MOST_K_BLOCK = 1024;

    /** A block of packed a, with a panel of b, stays in the L2 cache. */
    private static final int MOST_A_FLOATS = 96 * MOST_K_BLOCK;

    /** Columns that the widest vectors transpose at a time; the same everywhere, because results depend on the blocks of k. */
    private static final int TRANSPOSED_COLUMNS = 16;

    private static final int MOST_ROWS = 32 * Microkernel.ROWS;
    private static final int LEAST_ROWS = 8 * Microkernel.ROWS;

    /** Packing a costs about as much as 30 columns of the result: not to be done again too often. */
    private static final int LEAST_COLUMNS = 512;

    /** Enough for an even load of some tens of workers, where rows and columns allow it. */
    private static final int TARGET_TASKS = 24;

    /**
     * @param wholeK whether an element's sum must be completed at once, because the result is BF16 and would round it
     * @param packedBytes memory for packed b
     */
    static Blocking of(Extents extents, boolean wholeK, long packedBytes) {
        long floats = packedBytes / Float.BYTES;
        int k = extents.k();
        int n = roundUp(extents.n(), Microkernel.PANEL_COLUMNS);
        int kBlock = Math.min(k, roundUp(divideUp(k, divideUp(k, MOST_K_BLOCK)), TRANSPOSED_COLUMNS));
        int kSpan = k;
        if (!wholeK && (long) k * Math.min(n, LEAST_COLUMNS) > floats) {
            kSpan = (int) (floats / Math.min(n, LEAST_COLUMNS) / kBlock) * kBlock;
        }
        int nSpan = (int) Math.min(n, roundDown(floats / kSpan, Microkernel.PANEL_COLUMNS));
        if (nSpan == 0) {
            throw new IllegalArgumentException("aMK has K = " + k + ", and a BF16 result allows "
                    + floats / Microkernel.PANEL_COLUMNS + " at most; write an FP32 result");
        }
        int mostRows = Math.min(MOST_ROWS, MOST_A_FLOATS / kBlock / Microkernel.ROWS * Microkernel.ROWS);
        int rows = Math.clamp(roundUp(divideUp(extents.m(), TARGET_TASKS), Microkernel.ROWS), LEAST_ROWS, mostRows);
        int columnTiles = divideUp(TARGET_TASKS, divideUp(extents.m(), rows));
        int columns = roundUp(divideUp(nSpan, columnTiles), Microkernel.PANEL_COLUMNS);
        columns = wholeK ? LEAST_COLUMNS : Math.max(columns, LEAST_COLUMNS);
        return new Blocking(kBlock, new Span(kSpan, nSpan), new Tile(rows, Math.min(columns, nSpan)));
    }

    public static int divideUp(int x, int by) {
        return (x + by - 1) / by;
    }

    public static int roundUp(int x, int to) {
        return divideUp(x, to) * to;
    }

    private static long roundDown(long x, int to) {
        return x / to * to;
    }
}
