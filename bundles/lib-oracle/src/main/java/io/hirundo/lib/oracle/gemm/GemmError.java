package io.hirundo.lib.oracle.gemm;

/**
 * The largest error of a GEMM relative to its bound.
 *
 * @param share of the bound that is used up: above 1, or NaN, is wrong
 * @param row first row of the tile; -1 if the result as a whole is scaled
 * @param column first column of the tile
 * @param relative the difference over the norm of the expected tile; or the factor by which the whole is scaled, minus 1
 */
public record GemmError(double share, long row, long column, double relative) {
    /** A result without elements. */
    public static final GemmError NONE = new GemmError(0, 0, 0, 0);

    public boolean isWrong() {
        return !(share <= 1);
    }

    /** The one with the larger share; NaN counts as the largest. */
    public GemmError worse(GemmError other) {
        return Double.compare(other.share, share) > 0 ? other : this;
    }
}
