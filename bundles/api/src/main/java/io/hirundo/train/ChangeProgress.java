package io.hirundo.train;

import java.time.Duration;
import java.util.Optional;

/**
 * What a run does for the change request that it handles between two steps.
 *
 * @param phase what it does now
 * @param elapsed time since this phase began
 * @param previous how long this phase took for the previous change of this process; empty if this is the first
 */
public record ChangeProgress(Phase phase, Duration elapsed, Optional<Duration> previous) {
    /** Phases of a change, in their order. */
    public enum Phase {
        /** Each process builds the new strategies, and tries them. */
        PREPARE,
        /** The run compares old and new strategies on the next microbatch. */
        PARITY_CHECK,
        /** All ranks take the new strategies. */
        COMMIT
    }
}
