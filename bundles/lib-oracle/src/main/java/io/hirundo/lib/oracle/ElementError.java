package io.hirundo.lib.oracle;

/**
 * The element of a result with the largest error relative to its bound.
 *
 * @param share of the bound that is used up: above 1, or NaN, is wrong
 * @param row of the element in what was compared
 * @param column of the element in what was compared
 * @param expected its value in double precision
 * @param found its value
 * @param bound largest difference that rounding explains; 0 if the values must be equal
 */
public record ElementError(double share, int row, int column, double expected, double found, double bound) {
    /** A result without elements. */
    public static final ElementError NONE = new ElementError(0, 0, 0, 0, 0, 0);

    /** One element. */
    static ElementError of(int row, int column, double expected, double found, double bound) {
        return new ElementError(share(expected, found, bound), row, column, expected, found, bound);
    }

    private static double share(double expected, double found, double bound) {
        if (Double.compare(expected, found) == 0 || expected == found) {
            return 0;
        }
        if (!Double.isFinite(expected)) {
            // NaNs and infinities propagate; which of both depends on the order of the summands.
            return Double.isFinite(found) ? Double.POSITIVE_INFINITY : 0;
        }
        if (!Double.isFinite(found)) {
            return Double.POSITIVE_INFINITY;
        }
        return Math.abs(found - expected) / bound;
    }

    public boolean isWrong() {
        return !(share <= 1);
    }

    /** The one with the larger share; NaN counts as the largest. */
    public ElementError worse(ElementError other) {
        return Double.compare(other.share, share) > 0 ? other : this;
    }
}
