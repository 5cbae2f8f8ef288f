package io.hirundo.trainer.internal.steer;

import io.hirundo.train.ChangeProgress;
import io.hirundo.train.ChangeProgress.Phase;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Measures the phases of changes on the training's thread, and reports the current one to the threads of clients. */
public final class ChangeClock {
    private record Begun(Phase phase, long nanos) {}

    private final Map<Phase, Duration> previous = new ConcurrentHashMap<>();
    /** Null between changes. */
    private volatile Begun current;

    /** Runs a phase of a change. Its duration counts for the next change only if it returns. */
    public <T> T time(Phase phase, Supplier<T> work) {
        long begin = System.nanoTime();
        current = new Begun(phase, begin);
        try {
            T result = work.get();
            previous.put(phase, Duration.ofNanos(System.nanoTime() - begin));
            return result;
        } finally {
            current = null;
        }
    }

    /** How long this phase took the last time; empty if no change has passed it. */
    public Optional<Duration> previous(Phase phase) {
        return Optional.ofNullable(previous.get(phase));
    }

    Optional<ChangeProgress> progress() {
        return Optional.ofNullable(current)
                .map(begun -> new ChangeProgress(
                        begun.phase(), Duration.ofNanos(System.nanoTime() - begun.nanos()), previous(begun.phase())));
    }
}
