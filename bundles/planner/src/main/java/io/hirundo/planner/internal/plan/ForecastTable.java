package io.hirundo.planner.internal.plan;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.engine.accounting.AccountedLedger.Work;
import io.hirundo.lib.terminal.WrappedText;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.function.Function;

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
        forecast.warnings().forEach(warning -> words(text, "WARNING: %s", warning));
        counted.ranks().stream()
                .flatMap(rank -> rank.gemmSummary().stream())
                .distinct()
                .forEach(each -> words(text, "%s", each));
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
            words(text, "Not counted: what the fabric %s itself takes for its messages", forecast.uncountedFabric());
        }
        text.append('\n');
        words(
                text,
                "Work of a step: %.3f model TFLOP%s",
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
        collectives(text, heaviest, forecast.heaviestAsValues());
        return text.toString();
    }

    /** {@code asValues}: the same rank without FP8 transfers. */
    private static void collectives(StringBuilder text, DryRun.OfRank rank, DryRun.OfRank asValues) {
        var collectives = rank.collectivesPerStep();
        if (collectives.isEmpty()) {
            line(text, "%nMessages of a step: none, one rank");
            return;
        }
        var values = asValues.collectivesPerStep();
        boolean same = values.equals(collectives);
        line(text, "%nMessages of a step");
        line(text, "  %-32s %8s %16s%s", "collective, axes", "calls", "MB", same ? "" : "  MB without FP8");
        var names = new LinkedHashSet<>(collectives.keySet());
        names.addAll(values.keySet());
        for (String name : names) {
            Work work = collectives.getOrDefault(name, NONE);
            String other = same
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            "  %,14.3f",
                            values.getOrDefault(name, NONE).movedBytes() / 1e6);
            line(text, "  %-32s %8d %,16.3f%s", name, work.calls(), work.movedBytes() / 1e6, other);
        }
    }

    /** The fullest rank of each stage. Other ranks of a stage differ by the padding of their shards. */
    private static void stages(StringBuilder text, RunForecast forecast) {
        line(text, "%nPeak memory of the fullest rank of each stage, in MB");
        line(text, "  %5s %6s %13s  blocks", "stage", "rank", "total");
        for (int stage = 0; stage < forecast.stages().blocks().size(); stage++) {
            int fullest = forecast.heaviestRank(stage);
            long total = forecast.counted().ranks().get(fullest).peakTotalBytes();
            line(
                    text,
                    "  %5d %6d %,13.3f  %s",
                    stage,
                    fullest,
                    total / 1e6,
                    forecast.stages().blocks().get(stage));
        }
        line(text, "%nOf these ranks by category, in MB; each category peaks at its own time,");
        line(text, "so their sum may exceed the total");
        line(text, "  %5s%s", "stage", cells(MemoryVerdict::name));
        for (int stage = 0; stage < forecast.stages().blocks().size(); stage++) {
            var peaks =
                    forecast.counted().ranks().get(forecast.heaviestRank(stage)).peakBytes();
            line(
                    text,
                    "  %5d%s",
                    stage,
                    cells(category -> String.format(Locale.ROOT, "%,.3f", peaks.get(category) / 1e6)));
        }
    }

    /** A cell for each category, as wide as its name and an amount below a terabyte need. */
    private static String cells(Function<MemoryCategory, String> content) {
        var cells = new StringBuilder();
        for (MemoryCategory category : MemoryCategory.values()) {
            int width = Math.max(10, MemoryVerdict.name(category).length());
            cells.append(String.format(Locale.ROOT, " %" + width + "s", content.apply(category)));
        }
        return cells.toString();
    }

    /** A line of words, which may become several. */
    private static void words(StringBuilder text, String format, Object... arguments) {
        text.append(WrappedText.of(String.format(Locale.ROOT, format, arguments), 2))
                .append('\n');
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
