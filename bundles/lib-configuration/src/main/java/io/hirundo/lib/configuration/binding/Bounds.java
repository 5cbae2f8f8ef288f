package io.hirundo.lib.configuration.binding;

import io.hirundo.lib.configuration.document.Numbers;
import io.hirundo.strategy.Setting;
import java.math.BigDecimal;

/** Minimum and maximum of a number, infinite if unbounded. A minimum of {@link Double#MIN_VALUE} means "above 0". */
public record Bounds(double min, double max) {
    static final Bounds NONE = new Bounds(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

    static Bounds of(Setting setting) {
        return setting == null ? NONE : new Bounds(setting.min(), setting.max());
    }

    public boolean aboveZero() {
        return min == Double.MIN_VALUE;
    }

    /** Returns which bound a number violates, or null. */
    String fault(BigDecimal number) {
        if (min > Double.NEGATIVE_INFINITY && (aboveZero() ? number.signum() <= 0 : below(number))) {
            return "is too small";
        }
        return max < Double.POSITIVE_INFINITY && number.compareTo(new BigDecimal(max)) > 0 ? "is too large" : null;
    }

    private boolean below(BigDecimal number) {
        return number.compareTo(new BigDecimal(min)) < 0;
    }

    /** The bounds in words with a leading space; empty if there are none. */
    public String words() {
        boolean lower = min > Double.NEGATIVE_INFINITY;
        boolean upper = max < Double.POSITIVE_INFINITY;
        if (aboveZero()) {
            return upper ? " above 0 and at most " + Numbers.text(max) : " above 0";
        }
        if (lower && upper) {
            return " from " + Numbers.text(min) + " to " + Numbers.text(max);
        }
        return lower ? " of at least " + Numbers.text(min) : upper ? " of at most " + Numbers.text(max) : "";
    }
}
