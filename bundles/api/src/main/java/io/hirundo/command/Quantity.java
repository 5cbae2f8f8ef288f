package io.hirundo.command;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Formats figures for people, independent of the locale. */
public final class Quantity {
    private static final String[] THOUSANDS = {"", "k", "M", "G", "T"};
    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private Quantity() {}

    /** A number with a fixed number of decimals. A negative number that rounds to zero has no sign. */
    public static String fixed(double value, int decimals) {
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        }
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return text.startsWith("-") && text.chars().allMatch(each -> "-0.".indexOf(each) >= 0)
                ? text.substring(1)
                : text;
    }

    /** Three significant digits, without a unit: {@code 0.0123}, {@code 12.3}, {@code 1230}. */
    public static String significant(double value) {
        if (!Double.isFinite(value) || value == 0) {
            return value == 0 ? "0" : Double.toString(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(3));
        return rounded.setScale(rounded.scale() + 3 - rounded.precision()).toPlainString();
    }

    /** For instance {@code 512}, {@code 12.3k}, {@code 8.03G}. */
    public static String compact(double value) {
        return scaled(value, 1000, THOUSANDS, "");
    }

    /** For instance {@code 97.5 MiB}. */
    public static String bytes(double value) {
        return scaled(value, 1024, BINARY, " ");
    }

    private static String scaled(double value, double step, String[] units, String gap) {
        double rest = value;
        int unit = 0;
        // A value that would round up to the next unit uses that unit: 999.96 is 1.00k, not 1000.
        while (Math.abs(rest) >= step - 0.5 && unit < units.length - 1 && Double.isFinite(rest)) {
            rest /= step;
            unit++;
        }
        return (unit == 0 ? fixed(rest, 0) : significant(rest)) + gap + units[unit];
    }

    /** For instance {@code 0.4s}, {@code 42s}, {@code 3m 12s}, {@code 2h 05m}, {@code 3d 04h}. */
    public static String duration(long nanos) {
        long seconds = Math.round(nanos / 1e9);
        if (nanos < 9_950_000_000L) {
            return fixed(nanos / 1e9, 1) + "s";
        }
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return String.format(Locale.ROOT, "%dm %02ds", seconds / 60, seconds % 60);
        }
        long minutes = Math.round(seconds / 60.0);
        if (minutes < 24 * 60) {
            return String.format(Locale.ROOT, "%dh %02dm", minutes / 60, minutes % 60);
        }
        long hours = Math.round(seconds / 3600.0);
        return String.format(Locale.ROOT, "%dd %02dh", hours / 24, hours % 24);
    }
}
