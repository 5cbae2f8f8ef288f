package io.hirundo.gpusuite.internal.bench;

import io.hirundo.device.Queue;

/**
 * Times work on a queue by the host's clock: after a warm-up turn, enough turns that launch overhead does not matter.
 *
 * @param allSeconds approximate total time of all turns; a longer turn runs once
 */
record Timing(double allSeconds) {
    /** The same as in {@code torch_side.py}. */
    static final Timing USUAL = new Timing(0.1);

    private static final int MAX_TURNS = 1000;

    /** Seconds per turn. */
    double seconds(Queue queue, Runnable turn) {
        turns(queue, turn, 1);
        double one = turns(queue, turn, 1);
        int turns = (int) Math.clamp(allSeconds / one, 1, MAX_TURNS);
        return turns == 1 ? one : turns(queue, turn, turns) / turns;
    }

    private static double turns(Queue queue, Runnable turn, int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            turn.run();
        }
        queue.drain();
        // Avoids a division by 0 if the clock has not advanced.
        return Math.max(1, System.nanoTime() - begin) / 1e9;
    }
}
