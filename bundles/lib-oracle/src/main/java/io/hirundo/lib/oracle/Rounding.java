package io.hirundo.lib.oracle;

import io.hirundo.tensor.DType;

/**
 * Bounds on the rounding error of a GEMM. A sum that is rounded to nearest after every summand is off by some {@code u / 2} of the
 * product of its operands' norms where summands have either sign, and by some {@code u sqrt(K) / 3} of itself where all have the
 * same (Higham and Mary 2019, "A new approach to probabilistic rounding error analysis").
 *
 * @param sum largest relative change when a sum is rounded: half the distance from 1 to the next value
 * @param result the same for the result as it is stored
 */
public record Rounding(double sum, double result) {
    /** Allowed standard deviations: no correct GEMM exceeds them in 10^12 tiles. */
    private static final double ALLOWED = 7;

    /** Of the relative change of numbers of any mantissa that are rounded to nearest, as a part of the largest. */
    private static final double STANDARD_DEVIATION = 0.45;

    /** Below this FP32 and BF16 have fewer digits, or none on devices that flush such numbers to zero. */
    private static final double SMALLEST = Float.MIN_NORMAL;

    /** Of products whose sums are FP32, or FP64 where the result is. */
    public static Rounding of(DType result) {
        double binary32 = 0x1p-24;
        return switch (result) {
            // The reference is summed in binary64, too.
            case FP64 -> new Rounding(0x1p-51, 0x1p-53);
            case FP32 -> new Rounding(binary32, binary32);
            case BF16 -> new Rounding(binary32, 0x1p-8);
            default -> throw new IllegalArgumentException("no product has results of type " + result);
        };
    }

    /**
     * Largest difference of a tile's weighted sum from what it must be.
     *
     * @param summands K
     * @param operandNorms norm of the tile's rows of one operand times that of its columns of the other
     * @param resultNorm of the tile, with what was there before
     */
    public double bound(int summands, double operandNorms, double resultNorm) {
        double ofSums = sum * (operandNorms / 2 + Math.sqrt(summands) / 3 * resultNorm);
        double ofResult = result * STANDARD_DEVIATION * resultNorm;
        return ALLOWED * (ofSums + ofResult + SMALLEST * Tiles.EXTENT);
    }

    /**
     * Largest difference of a single element from what it must be. Partial sums may be as large as the largest summand and cancel
     * later, so that counts as the sum itself does; the result is rounded once, which is a fixed bound.
     *
     * @param summands K
     * @param operandNorms norm of the element's row of one operand times that of its column of the other
     * @param magnitude of the result, what was there before, or the largest summand, whichever is largest
     * @param expected the element
     */
    double elementBound(int summands, double operandNorms, double magnitude, double expected) {
        double ofSums = sum * (operandNorms / 2 + (1 + Math.sqrt(summands) / 3) * magnitude);
        return ALLOWED * (ofSums + SMALLEST) + result * Math.abs(expected);
    }

    /** Largest difference of a sum over ranks, in any order, whose summands have these magnitudes together. */
    double rankSumBound(int ranks, double magnitudes, double expected) {
        // The result is rounded again where it is narrower than the sum.
        return (ranks - 1) * sum * magnitudes * (1 + 0x1p-10) + result * Math.abs(expected) + SMALLEST;
    }
}
