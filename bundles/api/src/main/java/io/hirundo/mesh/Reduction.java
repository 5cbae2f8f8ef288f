package io.hirundo.mesh;

/** How a collective combines elements. Sums are made in rank order. */
public enum Reduction {
  SUM,
  MAX
}
