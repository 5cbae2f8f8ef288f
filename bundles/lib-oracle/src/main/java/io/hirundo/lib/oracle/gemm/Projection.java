package io.hirundo.lib.oracle.gemm;

/**
 * How large an operand q is as it was multiplied, as a part of the operand x that it was rounded from: {@code <q, x> / <x, x>}. Rounding
 * errors have either sign, so this is nearly 1, while an operand or a scale that is off by a factor shows as this factor. The norm of
 * the quantization error cannot tell: 0.3 % of all elements is less than the spacing of BF16.
 *
 * <p>Rounding explains what lies between 1 and the projection of x rounded to nearest with the same scales, which also saturates and
 * underflows in the same elements. Stochastic rounding, whose expected value is x, adds {@value #ALLOWED} standard deviations
 * {@code sqrt(sum (x h)²) / <x, x>}, with h half of the spacing at each element. That falls with the root of the number n of elements:
 * for normally distributed ones it is 6 to 8 u / sqrt(n), u the unit roundoff. Elements halfway between two values, as far as FP32 tells, may
 * go to either.
 *
 * @param factor the projection
 * @param nearest of x rounded to nearest
 * @param tolerance allowed beyond 1 and {@code nearest}
 */
public record Projection(double factor, double nearest, double tolerance) {
    /** Of an operand that was not rounded. */
    public static final Projection NONE = new Projection(1, 1, 0);

    /** In standard deviations. Half of a spacing is more than the standard deviation of stochastic rounding, which is 0.41 of one on average. */
    public static final double ALLOWED = 5;

    /** How far a device's quotient of element and scale is from the exact one, in units of its own: FP32, by division or by a reciprocal. */
    private static final double QUOTIENT = 0x1p-21;

    /** Of sums in double precision. */
    private static final double SUMS = 1e-11;

    /** Smallest factor that rounding explains. */
    public double lowest() {
        return Math.min(1, nearest) - tolerance;
    }

    /** Largest factor that rounding explains. */
    public double highest() {
        return Math.max(1, nearest) + tolerance;
    }

    /** The distance from 1 and {@code nearest} as a part of the tolerance; above 1 the operand is too large or too small. */
    public double share() {
        double beyond = Math.max(Math.max(Math.min(1, nearest) - factor, factor - Math.max(1, nearest)), 0);
        return Double.isNaN(factor) ? Double.POSITIVE_INFINITY : beyond == 0 ? 0 : beyond / tolerance;
    }

    /** The one with the larger share. */
    public Projection worse(Projection other) {
        return Double.compare(other.share(), share()) > 0 ? other : this;
    }

    /** The sums of an operand. */
    static final class Sums {
        private final ValueGrid grid;
        private double squares;
        private double products;
        private double ofNearest;
        private double variance;
        private double ties;

        Sums(ValueGrid grid) {
            this.grid = grid;
        }

        /** {@code scale}: what the grid's values are multiplied by. {@code was}: finite. */
        void add(double was, double is, double scale) {
            squares += was * was;
            products += was * is;
            if (was == 0 || !(scale > 0 && scale < Double.POSITIVE_INFINITY)) {
                return;
            }
            double value = was / scale;
            double spacing = grid.spacing(value);
            double nearest = grid.nearest(value, spacing);
            ofNearest += was * (nearest * scale);
            double half = was * spacing * scale / 2;
            variance += half * half;
            if (Math.abs(Math.abs(nearest - value) - spacing / 2) <= QUOTIENT * Math.abs(value)) {
                ties += 2 * Math.abs(half);
            }
        }

        /** A matrix of zeros has a projection of 1. */
        Projection projection() {
            return squares == 0
                    ? NONE
                    : new Projection(
                            products / squares,
                            ofNearest / squares,
                            SUMS + (ALLOWED * Math.sqrt(variance) + ties) / squares);
        }
    }
}
