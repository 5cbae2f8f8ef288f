package io.hirundo.precision;

/**
 * Quantization error of operands. Infinities are counted but not summed; NaNs are neither counted nor summed.
 *
 * @param nonZero non-zero elements
 * @param vanished of these, elements that underflowed to zero
 * @param largest of these, elements that saturated at plus or minus the largest value of the dtype
 * @param errorSquares sum of squared quantization errors
 * @param squares sum of squared elements
 */
public record RoundingLoss(long nonZero, long vanished, long largest, double errorSquares, double squares) {
    /** Combines two measurements. */
    public RoundingLoss plus(RoundingLoss other) {
        return new RoundingLoss(
                nonZero + other.nonZero,
                vanished + other.vanished,
                largest + other.largest,
                errorSquares + other.errorSquares,
                squares + other.squares);
    }

    /** Share of the non-zero elements that underflowed to zero. */
    public double vanishedShare() {
        return nonZero == 0 ? 0 : (double) vanished / nonZero;
    }

    /** Share of the non-zero elements that saturated. */
    public double largestShare() {
        return nonZero == 0 ? 0 : (double) largest / nonZero;
    }

    /** Relative quantization error: norm of the error over the norm of the elements. */
    public double error() {
        return squares == 0 ? 0 : Math.sqrt(errorSquares / squares);
    }
}
