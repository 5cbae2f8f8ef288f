package io.hirundo.gpusuite.internal.part;

import java.util.Optional;
import java.util.function.Consumer;

/** Reports pieces of work that take long, from a separate thread: the thread that waits for a kernel that does not end cannot report it. */
final class Watchdog implements AutoCloseable {
    /** A piece of work is reported after this time. */
    static final int WARNING_SECONDS = 20;

    private static final int POLL_MILLIS = 1000;

    private final Thread thread;

    /**
     * Starts the watchdog.
     *
     * @param hopelessSeconds a piece of work is given up after this time
     * @param hopeless receives the name of that piece, once
     */
    Watchdog(
            String part,
            TimeBudget allowance,
            int warningSeconds,
            Consumer<String> progress,
            int hopelessSeconds,
            Consumer<String> hopeless) {
        thread = Thread.ofPlatform()
                .daemon()
                .name("gpu-suite-watch")
                .start(() -> watch(part, allowance, warningSeconds, progress, hopelessSeconds, hopeless));
    }

    private static void watch(
            String part,
            TimeBudget allowance,
            int warningSeconds,
            Consumer<String> progress,
            int hopelessSeconds,
            Consumer<String> hopeless) {
        Optional<String> reported = Optional.empty();
        try {
            while (true) {
                Thread.sleep(POLL_MILLIS);
                Optional<String> givenUp = allowance.longerThan(hopelessSeconds);
                if (givenUp.isPresent()) {
                    hopeless.accept(givenUp.get());
                    return;
                }
                Optional<String> late = allowance.longerThan(warningSeconds);
                if (late.isPresent() && !late.equals(reported)) {
                    progress.accept(part + ": " + late.get() + " has run for " + warningSeconds + " s");
                }
                reported = late;
            }
        } catch (InterruptedException closed) {
            // The part has ended.
        }
    }

    /** Stops all reports. Does not return while the process is being ended. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
