package io.hirundo;

/** Exit codes of the {@code hirundo} program; where one fits, the numbers are those of BSD's {@code sysexits.h}. */
public final class ExitCode {
  /** The command did what it was asked. */
  public static final int OK = 0;

  /** A running training refused what it was asked, and goes on as before. */
  public static final int REFUSED = 1;

  /** What a command compared differs by more than is allowed. */
  public static final int DIFFERS = 3;

  /** The command line could not be understood. */
  public static final int USAGE = 2;

  /** Input data is missing, damaged or of the wrong kind: {@link DataException}. */
  public static final int DATA = 65;

  /** A strategy that a run works with has gone, and did not come back: {@link UnavailableException}. */
  public static final int UNAVAILABLE = 69;

  /** A defect in Hirundo: the stack trace is in the log. */
  public static final int INTERNAL = 70;

  /** A device failed or ran out of memory: {@link DeviceException}. */
  public static final int DEVICE = 71;

  /** The loss or the gradient is not a number any more: {@link DivergedException}. */
  public static final int DIVERGED = 72;

  /** Output could not be written, no space for instance: {@link StorageException}. */
  public static final int STORAGE = 73;

  /** A checkpoint could not be saved or loaded, {@link CheckpointException}, or its store not be reached, {@link StoreException}. */
  public static final int CHECKPOINT = 74;

  /** Another process holds what is needed, the run directory for instance: try again later. */
  public static final int BUSY = 75;

  /** Ranks could not talk to each other: {@link CommunicationException}. */
  public static final int COMMUNICATION = 76;

  /** A configuration or an installation is wrong: {@link ConfigurationException}. */
  public static final int CONFIGURATION = 78;

  /** The audit found wrong results, and the run may not go on: {@link AuditException}. */
  public static final int AUDIT = 79;

  /** Ended by Ctrl-C or SIGTERM, cleanly: what was made is saved. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
