package io.hirundo.trainer.internal.config;

/** What is done when the newest checkpoint cannot be loaded. */
public enum OnDamage {
  /** The run does not begin; the newest good one is named. */
  FAIL,
  /** The run goes on from the newest good one. */
  PREVIOUS
}
