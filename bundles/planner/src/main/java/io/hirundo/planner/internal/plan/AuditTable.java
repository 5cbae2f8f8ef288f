package io.hirundo.planner.internal.plan;

import io.hirundo.lib.engine.audit.GemmPlan;
import io.hirundo.lib.terminal.WrappedText;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Formats the overhead and the detection probabilities of an audit as text. */
public final class AuditTable {
    private static final int[] STEPS = {1, 10, 100, 1_000, 10_000};

    private AuditTable() {}

    /** {@code rate}: audits per step. */
    public static String of(String run, double rate, AuditForecast forecast) {
        var text = new StringBuilder();
        AuditForecast.Overhead one = forecast.ofOneAudit();
        IntSummaryStatistics extents = plans(forecast).mapToInt(GemmPlan::tile).summaryStatistics();
        words(
                text,
                "Run %s with audit.rate=%s: %d ranks, %,d tiles of %s in the GEMMs of a microbatch",
                run,
                trimmed(rate),
                forecast.ranks().size(),
                plans(forecast).mapToLong(GemmPlan::tiles).sum(),
                extents.getMin() == extents.getMax()
                        ? square(extents.getMax())
                        : square(extents.getMin()) + " or " + square(extents.getMax()));
        line(text, "%nOverhead on the rank where it is largest, as a fraction of the work of a step");
        line(text, "  (mean over what is drawn)");
        line(text, "  recomputed FLOPs, by the host      %.6f %%", 100 * rate * one.flops());
        line(text, "  bytes copied                       %.6f %%", 100 * rate * one.bytes());
        line(text, "  bytes exchanged, at most           %.6f %%", 100 * Math.min(1, rate) * one.sent());
        line(text, "%nProbability that a fault that is wrong in every step is noticed");
        var header = new StringBuilder(String.format(Locale.ROOT, "  %-26s", "within so many steps"));
        for (int steps : STEPS) {
            header.append(String.format(Locale.ROOT, " %9s", String.format(Locale.ROOT, "%,d", steps)));
        }
        line(text, "%s", header);
        for (AuditForecast.Fault fault : forecast.faults()) {
            words(text, "  %s", fault.extent());
            var row = new StringBuilder(" ".repeat(28));
            for (int steps : STEPS) {
                row.append(String.format(Locale.ROOT, " %8.4f%%", 100 * fault.within(steps * rate)));
            }
            line(text, "%s", row);
        }
        return text.toString();
    }

    private static Stream<GemmPlan> plans(AuditForecast forecast) {
        return forecast.ranks().stream().flatMap(rank -> rank.layers().stream()).flatMap(List::stream);
    }

    private static String square(int extent) {
        return extent + " x " + extent;
    }

    private static String trimmed(double rate) {
        return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
    }

    /** A line of words, which may become several. */
    private static void words(StringBuilder text, String format, Object... arguments) {
        text.append(WrappedText.of(String.format(Locale.ROOT, format, arguments), 4))
                .append('\n');
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
