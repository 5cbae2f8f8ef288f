package io.hirundo.planner.internal.plan;

import io.hirundo.lib.engine.audit.ProductPlan;
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
        IntSummaryStatistics extents =
                plans(forecast).mapToInt(ProductPlan::tile).summaryStatistics();
        line(
                text,
                "Run %s with audit.rate=%s: %d ranks, %,d tiles of %s in the GEMMs of a microbatch",
                run,
                trimmed(rate),
                forecast.ranks().size(),
                plans(forecast).mapToLong(ProductPlan::tiles).sum(),
                extents.getMin() == extents.getMax()
                        ? square(extents.getMax())
                        : square(extents.getMin()) + " or " + square(extents.getMax()));
        line(
                text,
                "%nOverhead, mean over what is drawn, on the rank where it is largest; fraction of the work of a step");
        line(text, "  recomputed FLOPs, by the host      %.6f %%", 100 * rate * one.flops());
        line(text, "  bytes copied                       %.6f %%", 100 * rate * one.bytes());
        line(text, "  bytes exchanged, at most           %.6f %%", 100 * Math.min(1, rate) * one.sent());
        line(text, "%nProbability that a fault is noticed within so many steps");
        var header = new StringBuilder(String.format(Locale.ROOT, "  %-66s", "wrong in every step"));
        for (int steps : STEPS) {
            header.append(String.format(Locale.ROOT, " %9s", String.format(Locale.ROOT, "%,d", steps)));
        }
        line(text, "%s", header);
        for (AuditForecast.Fault fault : forecast.faults()) {
            var row = new StringBuilder(String.format(Locale.ROOT, "  %-66s", fault.extent()));
            for (int steps : STEPS) {
                row.append(String.format(Locale.ROOT, " %8.4f%%", 100 * fault.within(steps * rate)));
            }
            line(text, "%s", row);
        }
        return text.toString();
    }

    private static Stream<ProductPlan> plans(AuditForecast forecast) {
        return forecast.ranks().stream().flatMap(rank -> rank.layers().stream()).flatMap(List::stream);
    }

    private static String square(int extent) {
        return extent + " x " + extent;
    }

    private static String trimmed(double rate) {
        return rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate);
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
