package io.hirundo.mesh;

/** Axes of the mesh of ranks. */
public enum Axis {
  TENSOR,
  CONTEXT,
  PIPELINE,
  DATA
}
