package io.hirundo.mesh;

/** Reduction operation of a collective. Sums are in rank order. */
public enum Reduction {
    SUM,
    MAX
}
