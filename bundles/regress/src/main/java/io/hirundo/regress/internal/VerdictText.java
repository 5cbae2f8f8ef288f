package io.hirundo.regress.internal;

import io.hirundo.regress.internal.compare.ResultComparison;
import io.hirundo.regress.internal.compare.Verdict;
import java.util.Locale;

/** Formats a verdict as one line. */
final class VerdictText {
    private VerdictText() {}

    static String line(Verdict verdict) {
        var text = new StringBuilder(
                String.format(Locale.ROOT, "%-30s %s", verdict.name(), verdict.passes() ? "same" : "DIFFERS"));
        verdict.golden().ifPresent(golden -> text.append(", golden ").append(words(golden)));
        verdict.peer().ifPresent(peer -> text.append(", peer ").append(words(peer)));
        if (Double.isFinite(verdict.throughput())) {
            text.append(String.format(Locale.ROOT, ", throughput %.2f of recorded", verdict.throughput()));
        }
        return text.toString();
    }

    private static String words(ResultComparison comparison) {
        return comparison.isBitwise()
                ? "bitwise"
                : comparison.incomparable().isEmpty()
                        ? String.format(Locale.ROOT, "%.3g of noise", comparison.timesNoise())
                        : "cannot be compared";
    }

    /** Whether the result is bitwise equal to the recorded one. */
    static boolean isBitwise(Verdict verdict) {
        return verdict.golden().filter(ResultComparison::isBitwise).isPresent();
    }
}
