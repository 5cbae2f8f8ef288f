package io.hirundo.mesh;

/** Axes of the mesh of ranks. */
public enum Axis {
    TENSOR,
    CONTEXT,
    PIPELINE,
    DATA,
    /**
     * Ranks that have other experts and other sequences. A weight that is no expert's has its replicas along {@link #DATA} and this axis
     * together. The trainer has no such axis yet.
     */
    EXPERT
}
