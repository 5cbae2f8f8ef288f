package io.hirundo.lib.configuration.document;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Exact values of a document's numbers, and their shortest textual form. */
public final class Numbers {
    /** Maximum digits before the decimal point, more than those of any double. */
    private static final int MAX_DIGITS = 320;

    private Numbers() {}

    /** The exact value; null if it is not finite, or outside the range of a double. */
    public static BigDecimal exact(Number number) {
        BigDecimal value = switch (number) {
            case BigDecimal decimal -> decimal;
            case BigInteger whole -> new BigDecimal(whole);
            case Double d -> Double.isFinite(d) ? new BigDecimal(d.toString()) : null;
            case Float f -> Float.isFinite(f) ? new BigDecimal(f.toString()) : null;
            default -> BigDecimal.valueOf(number.longValue());
        };
        // Protects the conversions below: 1e999999999 as an integer would exhaust the memory.
        return value != null && (long) value.precision() - value.scale() > MAX_DIGITS ? null : value;
    }

    /** Whether the value is an integer: true for 12, 12.0 and 1.2e1. */
    public static boolean isWhole(BigDecimal value) {
        return value.signum() == 0
                || value.scale() <= 0
                || value.stripTrailingZeros().scale() <= 0;
    }

    /** The shortest text that parses to the same number: 0.0003, 1.0E-8, 1000000. */
    public static String text(Number number) {
        if (!(number instanceof Double || number instanceof Float)) {
            return number.toString();
        }
        String shortest = number.toString();
        double size = Math.abs(number.doubleValue());
        if (size == Math.rint(size) && size < 1e15) {
            return new BigDecimal(shortest).setScale(0).toString();
        }
        return size >= 1e-5 && size < 1e7
                ? new BigDecimal(shortest).stripTrailingZeros().toPlainString()
                : shortest;
    }
}
