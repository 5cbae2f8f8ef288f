package io.hirundo.checkpointdcp.internal.strategy;

/** How long ranks wait for another rank that shows no progress. Thread-safe. */
public final class SaveTimeout {
    /** After a failed training, some ranks may still be writing, but those that are lost never will. */
    private static final long AFTER_FAILED_TRAINING_SECONDS = 10;

    private final long timeoutSeconds;
    private volatile boolean hasTrainingFailed;

    public SaveTimeout(long timeoutSeconds) {
        this.timeoutSeconds = timeoutSeconds;
    }

    /** The training has ended with an error, so that ranks may be lost. */
    void shorten() {
        hasTrainingFailed = true;
    }

    long seconds() {
        return hasTrainingFailed ? Math.min(timeoutSeconds, AFTER_FAILED_TRAINING_SECONDS) : timeoutSeconds;
    }
}
