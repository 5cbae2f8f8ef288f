package io.hirundo.trainer.internal.config;

/** What {@code --resume} does when the newest checkpoint cannot be loaded. */
public enum OnDamage {
  /** The run does not start; the error names the newest good checkpoint. */
  FAIL,
  /** The run continues from the newest good checkpoint. */
  PREVIOUS
}
