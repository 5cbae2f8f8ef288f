package io.hirundo.checkpointdcp.internal.strategy;

/** How long ranks wait for others that give no sign of life. Thread-safe. */
public final class SaveTimeout {
    /** Ranks whose training ended with an error may be writing still; those that are gone are not worth more. */
    private static final long AFTER_THE_END_SECONDS = 10;

    private final long timeoutSeconds;
    private volatile boolean worldEnded;

    public SaveTimeout(long timeoutSeconds) {
        this.timeoutSeconds = timeoutSeconds;
    }

    /** The training has ended with an error. */
    void endWorld() {
        worldEnded = true;
    }

    long seconds() {
        return worldEnded ? Math.min(timeoutSeconds, AFTER_THE_END_SECONDS) : timeoutSeconds;
    }
}
