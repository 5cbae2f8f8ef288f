package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.oracle.Rounding;
import io.hirundo.lib.oracle.Tiles;

/**
 * Compares a product with what it must be, given the operands that were multiplied. For every tile of the result, one weighted sum
 * over its elements is compared with the same sum found from the operands, in double precision and without the product itself:
 * {@code uᵀ (A B) v = (uᵀ A) (B v)} (Freivalds 1977; Huang and Abraham 1984). So every element counts, and the work is a
 * thousandth of the product's.
 */
public final class GemmErrorCheck {
    private final OperandSums left;
    private final OperandSums right;
    private final ResultSums before;
    private final ResultSums after;
    private final Rounding rounding;

    private GemmErrorCheck(
            OperandSums left, OperandSums right, ResultSums before, ResultSums after, Rounding rounding) {
        this.left = left;
        this.right = right;
        this.before = before;
        this.after = after;
        this.rounding = rounding;
    }

    /** {@code after = left right}. */
    public static GemmError of(OperandSums left, OperandSums right, ResultSums after, Rounding rounding) {
        return new GemmErrorCheck(left, right, null, after, rounding).worst();
    }

    /** {@code after = before + left right}. */
    public static GemmError added(
            OperandSums left, OperandSums right, ResultSums before, ResultSums after, Rounding rounding) {
        return new GemmErrorCheck(left, right, before, after, rounding).worst();
    }

    private GemmError worst() {
        if (left.extent() != after.rows() || right.extent() != after.columns()) {
            throw new IllegalArgumentException("a product of " + left.extent() + " rows and " + right.extent()
                    + " columns cannot have " + after.rows() + " and " + after.columns());
        }
        GemmError worst = GemmError.NONE;
        var scale = new Scale();
        for (int row = 0; row < Tiles.count(after.rows()); row++) {
            for (int column = 0; column < Tiles.count(after.columns()); column++) {
                worst = worst.worse(tile(row, column, scale));
            }
        }
        return worst.worse(scale.error());
    }

    private GemmError tile(int row, int column, Scale scale) {
        double added = left.product(row, right, column);
        double expected = added + (before == null ? 0 : before.sum(row, column));
        double found = after.sum(row, column);
        long firstRow = (long) row * Tiles.EXTENT;
        long firstColumn = (long) column * Tiles.EXTENT;
        if (!Double.isFinite(expected)) {
            // NaNs and infinities propagate.
            return Double.isFinite(found)
                    ? new GemmError(Double.NaN, firstRow, firstColumn, Double.NaN)
                    : GemmError.NONE;
        }
        double norm =
                before == null ? after.norm(row, column) : Math.max(before.norm(row, column), after.norm(row, column));
        double bound = rounding.bound(left.summands(), left.norm(row) * right.norm(column), norm);
        scale.add(added, found - expected, bound);
        return new GemmError(
                Math.abs(found - expected) / bound,
                firstRow,
                firstColumn,
                Math.abs(found - expected) / after.norm(row, column));
    }

    /** Whether all tiles together are too large or too small by a factor that no single one shows. */
    private static final class Scale {
        private double products;
        private double squares;
        private double variance;

        void add(double expected, double difference, double bound) {
            products += expected * difference;
            squares += expected * expected;
            variance += expected * expected * bound * bound;
        }

        GemmError error() {
            if (squares == 0) {
                return GemmError.NONE;
            }
            return new GemmError(Math.abs(products) / Math.sqrt(variance), -1, -1, products / squares);
        }
    }
}
