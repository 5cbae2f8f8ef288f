package io.hirundo.trainer.internal.config;

/** What a run does where the audit has found a wrong result. */
public enum OnFinding {
  /** Tells of it, and continues. */
  LOG,
  /** Tells of it, saves a checkpoint, and pauses. */
  PAUSE,
  /** Tells of it, and continues from the newest checkpoint before the step that was wrong. */
  ROLLBACK
}
