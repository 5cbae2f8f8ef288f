package io.hirundo.devicecuda.internal.launch;

/** The grid of elementwise kernels. */
public final class Grid {
    /** Threads per block of elementwise kernels, and of kernels with one block per row. */
    public static final int THREADS = 256;

    private static final long ELEMENTS_OF_BLOCK = 4L * THREADS;

    /** Enough to fill any GPU several times; more elements are processed in a grid-stride loop. */
    private static final long MAX_BLOCKS = 1 << 14;

    private Grid() {}

    public static long of(long elements) {
        return Math.min(MAX_BLOCKS, Math.ceilDiv(elements, ELEMENTS_OF_BLOCK));
    }
}
