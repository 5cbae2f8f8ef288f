package io.hirundo.parallelpp.internal.command;

import java.util.Locale;

/** Formats figures. */
final class Numbers {
    private Numbers() {}

    /** With at most two decimals. */
    static String of(double number) {
        String text = String.format(Locale.ROOT, "%.2f", number);
        return text.endsWith(".00")
                ? text.substring(0, text.length() - 3)
                : text.endsWith("0") ? text.substring(0, text.length() - 1) : text;
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f%%", 100 * share);
    }
}
