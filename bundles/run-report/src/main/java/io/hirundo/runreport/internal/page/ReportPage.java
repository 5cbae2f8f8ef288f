package io.hirundo.runreport.internal.page;

import static io.hirundo.runreport.internal.chart.Html.escaped;

import io.hirundo.command.Quantity;
import io.hirundo.runreport.internal.chart.Curve;
import io.hirundo.runreport.internal.chart.LineChart;
import io.hirundo.runreport.internal.chart.MemoryBar;
import io.hirundo.runreport.internal.history.RunEvent;
import io.hirundo.runreport.internal.history.RunHistory;
import io.hirundo.runreport.internal.history.Sample;
import io.hirundo.runreport.internal.history.Series;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Writes the page. */
public final class ReportPage {
    /** A smoothed curve averages over this share of the steps of the shortest run that is smoothed. */
    private static final double SMOOTHING = 0.02;

    /** Runs with fewer steps are drawn without smoothing. */
    private static final int SMOOTHED_FROM = 100;

    private static final int MOST_EVENTS = 200;

    private final List<RunHistory> runs;
    private final List<RunEvent> marks;
    private final StringBuilder html = new StringBuilder();

    /** One for all runs: with windows of different lengths, equal runs would have different curves. */
    private final double smoothingWindow;

    private ReportPage(List<RunHistory> runs) {
        this.runs = runs;
        this.smoothingWindow = SMOOTHING
                * runs.stream()
                        .mapToInt(run -> run.loss().size())
                        .filter(steps -> steps >= SMOOTHED_FROM)
                        .min()
                        .orElse(SMOOTHED_FROM);
        // Event marks of several runs in one chart would be ambiguous.
        this.marks = runs.size() == 1 ? runs.getFirst().events() : List.of();
    }

    /** The page of one or several runs. */
    public static String of(List<RunHistory> runs) {
        return new ReportPage(runs).write();
    }

    private String write() {
        String title =
                escaped(String.join(", ", runs.stream().map(RunHistory::name).toList()));
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
                .append("<title>")
                .append(title)
                .append("</title>\n<style>\n")
                .append(style())
                .append("</style>\n</head>\n<body>\n")
                .append("<header><p class=\"brand\">Hirundo run report</p><h1>")
                .append(title)
                .append("</h1></header>\n");
        writeSummary();
        writeCharts();
        writeMemory();
        writeSamples();
        writeEvents();
        writeConfigurations();
        return html.append("</body>\n</html>\n").toString();
    }

    private static String style() {
        try (InputStream css = ReportPage.class.getResourceAsStream("report.css")) {
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void writeSummary() {
        html.append(
                        "<table class=\"summary\">\n<tr><th>Run</th><th>Steps</th><th>Tokens</th><th>Training loss</th><th>Validation loss</th>")
                .append("<th>Tokens/s</th><th>Training time</th><th>Peak memory</th></tr>\n");
        for (int i = 0; i < runs.size(); i++) {
            RunHistory run = runs.get(i);
            html.append("<tr><td><span class=\"swatch c")
                    .append(i % LineChart.COLORS)
                    .append("\"></span>")
                    .append(escaped(run.name()))
                    .append("</td>");
            cell("%,d", run.lastStep());
            cell("%,d", run.tokens());
            double loss = smoothed(run.loss()).last();
            cell("%s", Double.isNaN(loss) ? "–" : Quantity.fixed(loss, 4));
            html.append("<td>").append(escaped(validation(run))).append("</td>");
            cell("%,.0f", run.tokensPerSecond().median());
            html.append("<td>")
                    .append(duration(run.stepNanos()))
                    .append("</td><td>")
                    .append(MemoryBar.size(peak(run)))
                    .append("</td></tr>\n");
        }
        html.append(
                        "</table>\n<p class=\"note\">Losses in nats per token; training loss smoothed, tokens per second as the median of all steps, ")
                .append("memory as the sum of each category's peak on the first rank.</p>\n");
        for (RunHistory run : runs) {
            if (run.unreadableLines() > 0) {
                note(run.name() + ": unreadable lines of metrics.jsonl, which are skipped: " + run.unreadableLines());
            }
        }
    }

    private void cell(String format, Object value) {
        html.append("<td>")
                .append(
                        value instanceof Double number && number.isNaN()
                                ? "–"
                                : String.format(Locale.ROOT, format, value))
                .append("</td>");
    }

    private static String validation(RunHistory run) {
        if (run.validation().isEmpty()) {
            return "–";
        }
        return String.join(
                ", ",
                run.validation().entrySet().stream()
                        .map(each -> Quantity.fixed(each.getValue().last(), 4)
                                + (run.validation().size() > 1 ? " (" + each.getKey() + ")" : ""))
                        .toList());
    }

    private static long peak(RunHistory run) {
        return run.peakBytes().values().stream().mapToLong(Long::longValue).sum();
    }

    private static String duration(long nanos) {
        long seconds = Math.round(nanos / 1e9);
        return seconds < 3600
                ? String.format(Locale.ROOT, "%d:%02d min", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d h", seconds / 3600, seconds / 60 % 60);
    }

    private void writeCharts() {
        html.append("<div class=\"charts\">\n");
        chart("Loss (nats per token)", losses(), LineChart.Axis.LINEAR);
        chart("Learning rate", curves(RunHistory::learningRate, false), LineChart.Axis.LINEAR);
        chart("Gradient norm, before clipping", curves(RunHistory::gradientNorm, true), LineChart.Axis.LOGARITHMIC);
        chart("Tokens per second", curves(RunHistory::tokensPerSecond, true), LineChart.Axis.LINEAR);
        html.append("</div>\n");
    }

    private void chart(String title, List<Curve> curves, LineChart.Axis axis) {
        html.append("<figure><figcaption>")
                .append(escaped(title))
                .append("</figcaption>\n")
                .append(LineChart.draw(title, curves, marks, axis))
                .append("</figure>\n");
    }

    /** With the validation losses as dots. */
    private List<Curve> losses() {
        List<Curve> curves = curves(RunHistory::loss, true);
        for (int i = 0; i < runs.size(); i++) {
            // One run: a second color. Several runs: the run's color.
            int color = runs.size() == 1 ? 1 : i;
            String name = label(runs.get(i));
            runs.get(i)
                    .validation()
                    .forEach((dataset, series) -> curves.add(new Curve(
                            name.isEmpty() ? dataset : name + " " + dataset, color, Curve.Style.DOTS, series)));
        }
        return curves;
    }

    private List<Curve> curves(Function<RunHistory, Series> series, boolean noisy) {
        var curves = new ArrayList<Curve>();
        for (int i = 0; i < runs.size(); i++) {
            Series values = series.apply(runs.get(i));
            boolean smooth = noisy && values.size() >= SMOOTHED_FROM;
            if (smooth) {
                curves.add(new Curve("", i, Curve.Style.PALE, values));
            }
            curves.add(new Curve(label(runs.get(i)), i, Curve.Style.LINE, smooth ? smoothed(values) : values));
        }
        return curves;
    }

    private Series smoothed(Series values) {
        return values.size() < SMOOTHED_FROM ? values : values.smoothed(smoothingWindow);
    }

    private String label(RunHistory run) {
        return runs.size() == 1 ? "" : run.name();
    }

    private void writeMemory() {
        html.append("<h2>Memory</h2>\n");
        long largest = runs.stream().mapToLong(ReportPage::peak).max().orElse(0);
        for (RunHistory run : runs) {
            heading(run);
            html.append(largest == 0 ? "<p class=\"note\">No values.</p>\n" : MemoryBar.draw(run.peakBytes(), largest));
        }
    }

    private void writeSamples() {
        if (runs.stream().allMatch(run -> run.samples().isEmpty())) {
            return;
        }
        html.append("<h2>Samples</h2>\n");
        for (RunHistory run : runs) {
            heading(run);
            for (Sample sample : run.samples()) {
                html.append("<figure class=\"sample\"><figcaption>step ")
                        .append(sample.step())
                        .append("</figcaption><pre><b>")
                        .append(escaped(sample.prompt()))
                        .append("</b>")
                        .append(escaped(sample.text()))
                        .append("</pre></figure>\n");
            }
        }
    }

    private void writeEvents() {
        html.append("<h2>Events</h2>\n");
        for (RunHistory run : runs) {
            heading(run);
            if (run.events().isEmpty()) {
                note("None.");
                continue;
            }
            html.append("<table>\n<tr><th>Step</th><th>Event</th><th></th></tr>\n");
            int left = Math.max(0, run.events().size() - MOST_EVENTS);
            for (RunEvent event : run.events().subList(left, run.events().size())) {
                html.append("<tr><td>")
                        .append(event.step())
                        .append("</td><td><span class=\"kind ")
                        .append(event.kind().name().toLowerCase(Locale.ROOT))
                        .append("\">")
                        .append(event.kind().label())
                        .append("</span></td><td>")
                        .append(escaped(event.text()))
                        .append("</td></tr>\n");
            }
            html.append("</table>\n");
            if (left > 0) {
                note("The last " + MOST_EVENTS + " of " + run.events().size() + "; metrics.jsonl has all.");
            }
        }
    }

    private void writeConfigurations() {
        html.append("<h2>Configuration</h2>\n");
        for (RunHistory run : runs) {
            html.append("<details><summary>")
                    .append(escaped(run.name()))
                    .append("/config.json</summary><pre>")
                    .append(escaped(run.configuration()))
                    .append("</pre></details>\n");
        }
    }

    private void heading(RunHistory run) {
        if (runs.size() > 1) {
            html.append("<h3>").append(escaped(run.name())).append("</h3>\n");
        }
    }

    private void note(String text) {
        html.append("<p class=\"note\">").append(escaped(text)).append("</p>\n");
    }
}
