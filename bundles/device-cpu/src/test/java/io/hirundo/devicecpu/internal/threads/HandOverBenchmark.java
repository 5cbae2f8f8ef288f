package io.hirundo.devicecpu.internal.threads;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long it takes a caller to hand a task to each worker and to see all ended: {@link WorkerPool#run} with tasks that do nothing but wait
 * until all have begun, so that every worker takes one. Arguments: workers (0 for all cores), calls. Prints a line {@code RESULT} for each
 * pause before a call: after pauses shorter than the pool spins, workers are awake, and after longer ones they sleep.
 */
public final class HandOverBenchmark {
    private static final int[] PAUSE_MICROS = {0, 5, 20, 200};
    private static final long SCRATCH_BYTES = 4096;

    private HandOverBenchmark() {}

    public static void main(String[] arguments) {
        int requested = Integer.parseInt(arguments[0]);
        int workers = requested == 0 ? Runtime.getRuntime().availableProcessors() : requested;
        int calls = Integer.parseInt(arguments[1]);
        try (Arena arena = Arena.ofShared();
                var pool = new WorkerPool(
                        workers, arena.allocate(workers * SCRATCH_BYTES, 64).address(), SCRATCH_BYTES)) {
            // The first round is the JIT compiler's.
            measure(pool, calls, 0);
            for (int pause : PAUSE_MICROS) {
                long[] nanos = measure(pool, calls, pause);
                System.out.printf(
                        Locale.ROOT,
                        "RESULT: %d workers, after %3d us without work: median %.2f us, 90th percentile %.2f us, 99th %.2f us of %d calls%n",
                        workers,
                        pause,
                        nanos[calls / 2] / 1e3,
                        nanos[calls * 9 / 10] / 1e3,
                        nanos[calls * 99 / 100] / 1e3,
                        calls);
            }
        }
    }

    /** Sorted. */
    private static long[] measure(WorkerPool pool, int calls, int pauseMicros) {
        long[] nanos = new long[calls];
        var together = new Together(pool.size());
        for (int call = 0; call < calls; call++) {
            long until = System.nanoTime() + pauseMicros * 1000L;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            together.begun.set(0);
            long began = System.nanoTime();
            pool.run(pool.size(), together);
            nanos[call] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return nanos;
    }

    /** A task for each worker. */
    private static final class Together implements Task {
        private final AtomicInteger begun = new AtomicInteger();
        private final int workers;

        Together(int workers) {
            this.workers = workers;
        }

        @Override
        public void run(int task, Scratch scratch) {
            begun.incrementAndGet();
            while (begun.get() < workers) {
                Thread.onSpinWait();
            }
        }
    }
}
