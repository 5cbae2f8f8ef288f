package io.hirundo.planner.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import java.util.LinkedHashSet;
import java.util.Locale;

/** Formats a forecast as text. */
public final class ForecastTable {
    private static final Work NONE = new Work(0, 0, 0);

    private ForecastTable() {}

    public static String of(RunForecast forecast) {
        var counted = forecast.counted();
        var text = new StringBuilder();
        text.append(MemoryVerdict.of(forecast));
        line(text, "%nRun %s on %s", forecast.run(), forecast.deviceName());
        line(text, "%,d parameters, %,d tokens a step", counted.parameters(), counted.tokensPerStep());
        forecast.warnings().forEach(warning -> line(text, "WARNING: %s", warning));
        counted.ranks().stream()
                .flatMap(rank -> rank.products().stream())
                .distinct()
                .forEach(each -> line(text, "%s", each));
        var heaviest = forecast.heaviest();
        boolean several = counted.ranks().size() > 1;
        String which = several ? "rank " + forecast.heaviestRank() + ", which needs most" : "a rank";
        line(text, "%nPeak memory of %s, in bytes", which);
        line(text, "  %-14s %20s %20s", "category", "category peak", "at total peak");
        for (MemoryCategory category : MemoryCategory.values()) {
            line(
                    text,
                    "  %-14s %,20d %,20d",
                    MemoryVerdict.name(category),
                    heaviest.peakBytes().get(category),
                    heaviest.bytesAtPeak().get(category));
        }
        line(text, "  %-14s %20s %,20d", "total", "", heaviest.peakTotalBytes());
        if (several) {
            stages(text, forecast);
        }
        if (!forecast.uncountedFabric().isEmpty()) {
            line(text, "Not counted: what the fabric %s itself takes for its messages", forecast.uncountedFabric());
        }
        line(
                text,
                "%nWork of a step: %.3f model TFLOP%s",
                counted.modelFlopsPerStep() / 1e12,
                several ? " on all ranks together; of " + which : "");
        line(text, "  %-32s %8s %16s %16s", "kernel", "calls", "GFLOP", "MB moved");
        heaviest.kernelsPerStep()
                .forEach((kernel, work) -> line(
                        text,
                        "  %-32s %8d %,16.3f %,16.1f",
                        kernel,
                        work.calls(),
                        work.flops() / 1e9,
                        work.movedBytes() / 1e6));
        messages(text, heaviest, forecast.heaviestAsValues());
        return text.toString();
    }

    /** {@code asValues}: the same rank without FP8 transfers. */
    private static void messages(StringBuilder text, DryRun.OfRank rank, DryRun.OfRank asValues) {
        var messages = rank.messagesPerStep();
        if (messages.isEmpty()) {
            line(text, "%nMessages of a step: none, one rank");
            return;
        }
        var values = asValues.messagesPerStep();
        boolean same = values.equals(messages);
        line(text, "%nMessages of a step");
        line(
                text,
                "  %-32s %8s %16s%s",
                "collective, axes",
                "calls",
                "MB",
                same ? "" : "  MB if nothing went in 8 bits");
        var names = new LinkedHashSet<>(messages.keySet());
        names.addAll(values.keySet());
        for (String name : names) {
            Work work = messages.getOrDefault(name, NONE);
            String other = same
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            "  %,28.3f",
                            values.getOrDefault(name, NONE).movedBytes() / 1e6);
            line(text, "  %-32s %8d %,16.3f%s", name, work.calls(), work.movedBytes() / 1e6, other);
        }
    }

    /** The fullest rank of each stage. Other ranks of a stage differ by the padding of their shards. */
    private static void stages(StringBuilder text, RunForecast forecast) {
        line(
                text,
                "%nPeak memory of the fullest rank of each stage, in MB; each category peaks at its own time, so their sum may exceed the total");
        var header = new StringBuilder(String.format(Locale.ROOT, "  %5s %6s", "stage", "rank"));
        for (MemoryCategory category : MemoryCategory.values()) {
            header.append(String.format(Locale.ROOT, " %13s", MemoryVerdict.name(category)));
        }
        line(text, "%s %13s  blocks", header, "total");
        for (int stage = 0; stage < forecast.stages().blocks().size(); stage++) {
            int fullest = forecast.heaviestRank(stage);
            var rank = forecast.counted().ranks().get(fullest);
            var row = new StringBuilder(String.format(Locale.ROOT, "  %5d %6d", stage, fullest));
            for (MemoryCategory category : MemoryCategory.values()) {
                row.append(
                        String.format(Locale.ROOT, " %,13.3f", rank.peakBytes().get(category) / 1e6));
            }
            line(
                    text,
                    "%s %,13.3f  %s",
                    row,
                    rank.peakTotalBytes() / 1e6,
                    forecast.stages().blocks().get(stage));
        }
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
