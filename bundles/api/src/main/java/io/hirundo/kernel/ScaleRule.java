package io.hirundo.kernel;

/** What a block's scale may be. */
public enum ScaleRule {
  /** The largest power of two that keeps the block in range: scaling then rounds nothing. */
  POWER_OF_TWO,
  /** What maps the block's largest magnitude to the type's largest value. */
  EXACT
}
