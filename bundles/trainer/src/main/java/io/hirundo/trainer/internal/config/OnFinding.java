package io.hirundo.trainer.internal.config;

/** What a run does when the audit finds a wrong result. */
public enum OnFinding {
  /** Logs the finding and continues. */
  LOG,
  /** Logs the finding, saves a checkpoint, and pauses. */
  PAUSE,
  /** Logs the finding, and continues from the newest checkpoint before the wrong step. */
  ROLLBACK
}
