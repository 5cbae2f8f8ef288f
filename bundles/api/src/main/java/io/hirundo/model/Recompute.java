package io.hirundo.model;

/** Which activations are made again in the backward instead of being kept. */
public enum Recompute {
  /** All activations are kept. */
  NONE,
  /** What is cheap to make again (norm outputs, the gated product) is not kept. */
  SELECTIVE,
  /** Only a block's input is kept. */
  FULL
}
