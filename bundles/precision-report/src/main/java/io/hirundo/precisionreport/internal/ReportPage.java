package io.hirundo.precisionreport.internal;

import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The self-contained HTML page. */
final class ReportPage {
    private static final String STYLE = """
      :root { color-scheme: light dark; --line: #8884; --bar: #4878a8; --range: #58a868; }
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; }
      h2 { font-size: 1.05rem; margin: 2.2rem 0 0.3rem; }
      table { border-collapse: collapse; margin: 0.5rem 0 1rem; }
      th, td { padding: 0.15rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; font-variant-numeric: tabular-nums; }
      th { font-weight: 600; } th:first-child, td:first-child { text-align: left; }
      .note { opacity: 0.75; margin: 0.2rem 0; }
      svg text { font: 9px system-ui, sans-serif; fill: currentColor; }
      .bar { fill: var(--bar); } .range { fill: var(--range); } .grid { stroke: var(--line); }
      """;

    private static final Map<Operand, String> NAMES =
            Map.of(Operand.INPUT, "x", Operand.WEIGHT, "w", Operand.OUTPUT_GRADIENT, "dy");
    private static final List<Operand> ORDER = List.of(Operand.INPUT, Operand.OUTPUT_GRADIENT, Operand.WEIGHT);

    private final StringBuilder html = new StringBuilder();

    private ReportPage() {}

    /** {@code run}: its folder. */
    static String of(Path run, StrategyComparison comparison) {
        return new ReportPage().write(run, comparison);
    }

    private String write(Path run, StrategyComparison comparison) {
        var inspected = comparison.inspected();
        String title = escaped("Precision of " + run.getFileName());
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>")
                .append(title)
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(title)
                .append("</h1>\n");
        note("Step " + inspected.step() + ", computed in "
                + inspected.precision().name()
                + ". Every strategy computes each layer's three GEMMs on the operands of one microbatch. Errors are relative to"
                + " FP32: the norm of the difference divided by the norm, for the full matrix and as the median over rows (for dw, input channels)."
                + " For operands quantized to 8 bits, the page shows the fraction of nonzero elements that underflow to zero, the fraction that"
                + " saturate, and the relative quantization error.");
        comparison.leftOut().forEach((name, reason) -> note("Not compared: " + name + " (" + reason + ")"));
        html.append("<h2>All layers</h2>\n");
        html.append(
                "<table>\n<tr><th>Strategy</th><th>layers</th><th>worst y</th><th>worst dx</th><th>worst dw</th><th>max underflow</th></tr>\n");
        for (Summary summary : Summary.of(comparison.layers())) {
            row(
                    summary.strategy(),
                    String.valueOf(summary.layers()),
                    figure(summary.output()),
                    figure(summary.inputGradient()),
                    figure(summary.weightGradient()),
                    share(summary.vanished()));
        }
        html.append("</table>\n");
        note("Median rows in the worst layer, among the layers that use the strategy's own GEMMs.");
        comparison.layers().forEach(this::layer);
        return html.append("</body>\n</html>\n").toString();
    }

    private void layer(LayerReport layer) {
        html.append("<h2>").append(escaped(layer.shape().name())).append("</h2>\n");
        note("[" + layer.shape().outputs() + ", " + layer.shape().inputs() + "], " + layer.tokens() + " tokens");
        html.append(
                "<table>\n<tr><th>Strategy</th><th>y</th><th>typical</th><th>dx</th><th>typical</th><th>dw</th><th>typical</th></tr>\n");
        for (Figures figures : layer.strategies()) {
            var errors = figures.errors();
            row(
                    named(figures),
                    figure(errors.output().norm()),
                    figure(errors.output().typical()),
                    figure(errors.inputGradient().norm()),
                    figure(errors.inputGradient().typical()),
                    figure(errors.weightGradient().norm()),
                    figure(errors.weightGradient().typical()));
        }
        html.append("</table>\n");
        rounding(layer.strategies().stream()
                .filter(figures -> !figures.rounding().isEmpty())
                .toList());
        for (Operand operand : ORDER) {
            html.append(HistogramSvg.draw(NAMES.get(operand), layer.operands().get(operand)));
        }
    }

    /** With the reason if a layer's GEMM kind differs from the strategy's name. */
    private static String named(Figures figures) {
        return figures.isInNameOnly() ? figures.strategy() + ": " + figures.gemms() : figures.strategy();
    }

    private void rounding(List<Figures> strategies) {
        if (strategies.isEmpty()) {
            return;
        }
        html.append("<table>\n<tr><th>Quantized to 8 bits</th>");
        for (Operand operand : ORDER) {
            html.append("<th>").append(NAMES.get(operand)).append(" vanished</th><th>largest</th><th>changed</th>");
        }
        html.append("</tr>\n");
        for (Figures figures : strategies) {
            html.append("<tr><td>").append(escaped(figures.strategy())).append("</td>");
            for (Operand operand : ORDER) {
                RoundingLoss loss = figures.rounding().get(operand);
                if (loss == null) {
                    // A strategy may quantize only some of them.
                    html.append("<td></td><td></td><td></td>");
                    continue;
                }
                html.append("<td>")
                        .append(share(loss.vanishedShare()))
                        .append("</td><td>")
                        .append(share(loss.largestShare()))
                        .append("</td><td>")
                        .append(figure(loss.error()))
                        .append("</td>");
            }
            html.append("</tr>\n");
        }
        html.append("</table>\n");
    }

    private void row(String first, String... figures) {
        html.append("<tr><td>").append(escaped(first)).append("</td>");
        for (String figure : figures) {
            html.append("<td>").append(figure).append("</td>");
        }
        html.append("</tr>\n");
    }

    private void note(String words) {
        html.append("<p class=\"note\">").append(escaped(words)).append("</p>\n");
    }

    static String figure(double error) {
        return String.format(Locale.ROOT, "%.4f", error);
    }

    static String share(double part) {
        return part == 0 ? "0" : String.format(Locale.ROOT, "%.2g", part);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
