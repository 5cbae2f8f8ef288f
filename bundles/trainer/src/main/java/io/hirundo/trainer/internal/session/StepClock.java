package io.hirundo.trainer.internal.session;

/** Measures the duration of steps, from the end of one to the end of the next, without work between them that belongs to no step. */
final class StepClock {
    private long beginNanos = System.nanoTime();
    /** Time of work that started in the last step and was awaited after it. It counts for the next step. */
    private long carriedNanos;

    /** Excludes the time since the last call. */
    void reset() {
        beginNanos = System.nanoTime();
    }

    /** Counts the time since the last call for the next step. */
    void carry() {
        carriedNanos += sinceBegin();
    }

    /** Ends a step and returns its duration. */
    long stepNanos() {
        long nanos = sinceBegin() + carriedNanos;
        carriedNanos = 0;
        return nanos;
    }

    private long sinceBegin() {
        long now = System.nanoTime();
        long nanos = now - beginNanos;
        beginNanos = now;
        return nanos;
    }
}
