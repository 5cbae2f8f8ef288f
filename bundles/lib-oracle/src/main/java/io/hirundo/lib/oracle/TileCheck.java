package io.hirundo.lib.oracle;

import io.hirundo.lib.oracle.gemm.GemmErrorCheck;

/**
 * Compares every element of a tile of a product with its sum in double precision, over the rows of the operands that the tile was
 * made of. Where {@link GemmErrorCheck} looks at whole products through one weighted sum for each tile, this tells which element of a
 * single tile is wrong, with both values.
 */
public final class TileCheck {
    /** Finite numbers beyond this round to infinity in BF16, and in FP32 nearly so. */
    private static final double LARGEST = 0x1.fep127;

    private TileCheck() {}

    /**
     * The element that is furthest from {@code before + left rightᵀ}.
     *
     * @param leftMK rows of the operand that has the rows of the result
     * @param rightNK rows of the operand that has its columns
     * @param beforeMN what the product was added to; null where it replaced the result
     * @param foundMN the tile
     */
    public static ElementError worst(
            double[][] leftMK, double[][] rightNK, double[][] beforeMN, double[][] foundMN, Rounding rounding) {
        ElementError worst = ElementError.NONE;
        double[] norms = new double[rightNK.length];
        for (int column = 0; column < norms.length; column++) {
            norms[column] = norm(rightNK[column]);
        }
        for (int row = 0; row < foundMN.length; row++) {
            double norm = norm(leftMK[row]);
            for (int column = 0; column < foundMN[row].length; column++) {
                double before = beforeMN == null ? 0 : beforeMN[row][column];
                worst = worst.worse(element(
                        row,
                        column,
                        leftMK[row],
                        rightNK[column],
                        norm * norms[column],
                        before,
                        foundMN[row][column],
                        rounding));
            }
        }
        return worst;
    }

    private static ElementError element(
            int row,
            int column,
            double[] left,
            double[] right,
            double norms,
            double before,
            double found,
            Rounding rounding) {
        double sum = 0;
        double largest = 0;
        for (int k = 0; k < left.length; k++) {
            double summand = left[k] * right[k];
            sum += summand;
            largest = Math.max(largest, Math.abs(summand));
        }
        double expected = before + sum;
        double magnitude = Math.max(Math.max(Math.abs(expected), Math.abs(before)), largest);
        double bound = rounding.elementBound(left.length, norms, magnitude, expected);
        if (Double.isInfinite(found) && Math.abs(expected) + bound >= LARGEST) {
            return ElementError.NONE;
        }
        return ElementError.of(row, column, expected, found, bound);
    }

    private static double norm(double[] row) {
        double squares = 0;
        for (double value : row) {
            squares += value * value;
        }
        return Math.sqrt(squares);
    }
}
