package io.hirundo.devicecpu.internal.threads;

/** How elementwise work and rows are divided into tasks: by extents alone, so that results know nothing of the workers. */
public final class Blocks {
    /** Elements of a block: small enough for a worker's cache, large enough to make handing it out cheap. */
    public static final int ELEMENTS = 1 << 15;

    /** Work on a range. */
    @FunctionalInterface
    public interface Range {
        void run(long first, int count);
    }

    /** Work on a range with a worker's memory. */
    @FunctionalInterface
    public interface ScratchRange {
        void run(long first, int count, Scratch scratch);
    }

    private Blocks() {}

    public static int count(long extent, long block) {
        return Math.toIntExact((extent + block - 1) / block);
    }

    /** Runs blocks of {@link #ELEMENTS} elements. */
    public static void elements(WorkerPool pool, long elements, Range body) {
        elements(pool, elements, (first, count, scratch) -> body.run(first, count));
    }

    public static void elements(WorkerPool pool, long elements, ScratchRange body) {
        ranges(pool, elements, ELEMENTS, body);
    }

    /** Runs blocks of as many whole rows as have about {@link #ELEMENTS} elements. */
    public static void rows(WorkerPool pool, long rows, long columns, Range body) {
        rows(pool, rows, columns, (first, count, scratch) -> body.run(first, count));
    }

    public static void rows(WorkerPool pool, long rows, long columns, ScratchRange body) {
        ranges(pool, rows, rowsOfBlock(columns), body);
    }

    public static int rowsOfBlock(long columns) {
        return (int) Math.max(1, ELEMENTS / Math.max(1, columns));
    }

    private static void ranges(WorkerPool pool, long extent, int block, ScratchRange body) {
        pool.run(count(extent, block), (task, scratch) -> {
            long first = (long) task * block;
            body.run(first, (int) Math.min(block, extent - first), scratch);
        });
    }
}
