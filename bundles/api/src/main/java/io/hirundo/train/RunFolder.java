package io.hirundo.train;

/** Names in a run's own folder that others than the trainer know. */
public final class RunFolder {
  /** The configuration that the run goes by; a folder without one is no run's. */
  public static final String CONFIGURATION = "config.json";

  /** Locked by the process that leads the run, while it goes on. */
  public static final String LOCK = ".lock";

  /** Folder of the checkpoints. */
  public static final String CHECKPOINTS = "checkpoints";

  private RunFolder() {}
}
