package io.hirundo.lib.oracle;

import io.hirundo.tensor.DType;

/** Compares elements that ranks have combined with the expected ones, computed from the inputs of each rank. */
public final class SumCheck {
    private SumCheck() {}

    /**
     * The element that is furthest from the sum over the ranks, in whatever order it was made.
     *
     * @param inputsRN of each rank
     * @param foundN the combined elements
     * @param dtype of both; BF16 is summed in FP32 and rounded once
     */
    public static ElementError sum(double[][] inputsRN, double[] foundN, DType dtype) {
        Rounding rounding = Rounding.of(dtype);
        ElementError worst = ElementError.NONE;
        for (int column = 0; column < foundN.length; column++) {
            double expected = 0;
            double magnitude = 0;
            for (double[] input : inputsRN) {
                expected += input[column];
                magnitude += Math.abs(input[column]);
            }
            double bound = rounding.rankSumBound(inputsRN.length, magnitude, expected);
            worst = worst.worse(ElementError.of(0, column, expected, foundN[column], bound));
        }
        return worst;
    }

    /** The element that is not the largest of the ranks'; of two where one is NaN, that one. */
    public static ElementError maximum(double[][] inputsRN, double[] foundN) {
        ElementError worst = ElementError.NONE;
        for (int column = 0; column < foundN.length; column++) {
            double expected = Double.NEGATIVE_INFINITY;
            for (double[] input : inputsRN) {
                expected = Math.max(expected, input[column]);
            }
            worst = worst.worse(ElementError.of(0, column, expected, foundN[column], 0));
        }
        return worst;
    }

    /** The element that is not what was sent. */
    public static ElementError move(double[] sentN, double[] foundN) {
        ElementError worst = ElementError.NONE;
        for (int column = 0; column < foundN.length; column++) {
            worst = worst.worse(ElementError.of(0, column, sentN[column], foundN[column], 0));
        }
        return worst;
    }
}
