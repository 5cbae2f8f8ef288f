package io.hirundo.mesh;

/** The axes along which a training is split. */
public enum Axis {
  TENSOR,
  CONTEXT,
  PIPELINE,
  DATA
}
