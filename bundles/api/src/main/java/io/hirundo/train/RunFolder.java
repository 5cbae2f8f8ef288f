package io.hirundo.train;

/** Names in a run folder that bundles other than the trainer use. */
public final class RunFolder {
    /** The run's configuration; a folder without it is not a run. */
    public static final String CONFIGURATION = "config.json";

    /** Locked by the process that leads the run while it runs. */
    public static final String LOCK = ".lock";

    /** Holds the last step, once the run has ended and all its results are written. */
    public static final String ENDED = "ended";

    /** Folder with the checkpoints, and with saves that are not complete. */
    public static final String CHECKPOINTS = "checkpoints";

    private RunFolder() {}
}
