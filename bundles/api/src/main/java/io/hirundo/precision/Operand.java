package io.hirundo.precision;

/** What goes into the products of a linear layer. */
public enum Operand {
  /** x, [T, K]. */
  INPUT,
  /** w, [N, K]. */
  WEIGHT,
  /** dy, [T, N]. */
  OUTPUT_GRADIENT
}
