package io.hirundo.precision;

/**
 * What is lost where operands of products are rounded to few bits. Infinite values are in the counts and not in the sums; what is
 * not a number is in neither.
 *
 * @param nonZero elements that were not zero
 * @param vanished of these, those that became zero
 * @param largest of these, those that became the largest value there is, or minus that: what is beyond it is cut off
 * @param errorSquares sum of the squares of what rounding changed
 * @param squares sum of the squares of the elements
 */
public record RoundingLoss(long nonZero, long vanished, long largest, double errorSquares, double squares) {
  /** Of both together. */
  public RoundingLoss plus(RoundingLoss other) {
    return new RoundingLoss(
        nonZero + other.nonZero,
        vanished + other.vanished,
        largest + other.largest,
        errorSquares + other.errorSquares,
        squares + other.squares);
  }

  /** Part of the elements that are not zero which became zero. */
  public double vanishedShare() {
    return nonZero == 0 ? 0 : (double) vanished / nonZero;
  }

  /** Part of the elements that are not zero which became the largest value. */
  public double largestShare() {
    return nonZero == 0 ? 0 : (double) largest / nonZero;
  }

  /** Norm of what rounding changed by the norm of the elements. */
  public double error() {
    return squares == 0 ? 0 : Math.sqrt(errorSquares / squares);
  }
}
