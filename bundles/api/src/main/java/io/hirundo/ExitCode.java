package io.hirundo;

/** Exit codes of the {@code hirundo} program. Where BSD's {@code sysexits.h} has a fitting code, the numbers are the same. */
public final class ExitCode {
    /** The command succeeded. */
    public static final int OK = 0;

    /** A running training rejected a change request and continues unchanged. */
    public static final int REJECTED = 1;

    /** A comparison found a difference above its tolerance. */
    public static final int DIFFERS = 3;

    /** The command line is invalid. */
    public static final int USAGE = 2;

    /** Input data is missing, damaged or of the wrong kind: {@link DataException}. */
    public static final int DATA = 65;

    /** A strategy that a run uses was uninstalled and did not come back: {@link UnavailableException}. */
    public static final int UNAVAILABLE = 69;

    /** A defect in Hirundo: the stack trace is in the log. */
    public static final int INTERNAL = 70;

    /** A device failed or ran out of memory: {@link DeviceException}. */
    public static final int DEVICE = 71;

    /** The loss or the gradient norm is NaN: {@link DivergedException}. */
    public static final int DIVERGED = 72;

    /** Output could not be written, for instance because the disk is full: {@link StorageException}. */
    public static final int STORAGE = 73;

    /**
     * A checkpoint could not be saved or loaded ({@link CheckpointException}), or its store could not be reached ({@link
     * StoreException}).
     */
    public static final int CHECKPOINT = 74;

    /** Another process holds a resource, for instance the run directory: try again later. */
    public static final int BUSY = 75;

    /** A collective failed or timed out: {@link CommunicationException}. */
    public static final int COMMUNICATION = 76;

    /** A configuration or an installation is wrong: {@link ConfigurationException}. */
    public static final int CONFIGURATION = 78;

    /** The audit found wrong results, and the run must not continue: {@link AuditException}. */
    public static final int AUDIT = 79;

    /** Ended cleanly by Ctrl-C or SIGTERM; finished work is saved. */
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
