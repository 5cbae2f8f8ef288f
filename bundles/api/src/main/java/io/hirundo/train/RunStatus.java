package io.hirundo.train;

import java.nio.file.Path;

/**
 * Status of a run.
 *
 * @param name of the run
 * @param directory of the run
 * @param state what it is doing
 * @param reason why it is paused; empty while it runs
 * @param progress steps done and last metrics
 */
public record RunStatus(String name, Path directory, State state, String reason, Progress progress) {
    /** State of a run. */
    public enum State {
        RUNNING,
        /** Paused until it is resumed, or until a missing strategy is installed again. */
        PAUSED,
        ENDED
    }

    /**
     * Progress of a run.
     *
     * @param step completed steps
     * @param steps of the whole run
     * @param consumedSamples training samples consumed so far
     * @param loss of the last step, in nats; NaN before the first step
     * @param tokensPerSecond of the last step; 0 before the first
     */
    public record Progress(long step, long steps, long consumedSamples, double loss, double tokensPerSecond) {}
}
