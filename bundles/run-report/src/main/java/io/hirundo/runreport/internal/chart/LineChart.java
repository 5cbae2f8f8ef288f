package io.hirundo.runreport.internal.chart;

import io.hirundo.runreport.internal.history.RunEvent;
import io.hirundo.runreport.internal.history.Series;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Curves over steps as inline SVG, with the events of the run as vertical marks. Colors come from the page's style sheet. */
public final class LineChart {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 260;
    private static final int LEFT = 52;
    private static final int RIGHT = 12;
    private static final int TOP = 12;
    private static final int BOTTOM = 32;
    /** Runs after these have the colors of the first ones again. */
    public static final int COLORS = 6;

    /** The axis of the values. */
    public enum Axis {
        LINEAR,
        /** Where all values are above zero; linear otherwise. */
        LOGARITHMIC
    }

    private final String title;
    private final List<Curve> curves;
    private final Scale x;
    private final Scale y;
    private final StringBuilder svg = new StringBuilder();

    private LineChart(String title, List<Curve> curves, Axis axis) {
        this.title = title;
        this.curves = curves.stream()
                .map(curve -> new Curve(
                        curve.label(), curve.color(), curve.style(), Envelope.of(curve.series(), WIDTH - LEFT - RIGHT)))
                .toList();
        this.x = Scale.of(0, steps().max().orElse(1), LEFT, WIDTH - RIGHT, false);
        double[] sorted = values().filter(Double::isFinite).sorted().toArray();
        double low = sorted[0];
        double high = sorted[sorted.length - 1];
        boolean logarithmic = axis == Axis.LOGARITHMIC && low > 0;
        double margin = logarithmic ? 0 : (high - low) / 20;
        // No negative values on an axis of values that cannot be negative.
        this.y = Scale.of(
                low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin, HEIGHT - BOTTOM, TOP, logarithmic);
    }

    private DoubleStream values() {
        return curves.stream()
                .map(Curve::series)
                .flatMapToDouble(s -> IntStream.range(0, s.size()).mapToDouble(s::value));
    }

    private DoubleStream steps() {
        return curves.stream().map(Curve::series).filter(s -> !s.isEmpty()).mapToDouble(s -> s.step(s.size() - 1));
    }

    /**
     * The chart, empty where no curve has a finite value.
     *
     * @param title what the values are, for readers that cannot see the picture
     * @param events drawn as marks; none where several runs are drawn
     */
    public static String draw(String title, List<Curve> curves, List<RunEvent> events, Axis axis) {
        boolean any = curves.stream().map(Curve::series).anyMatch(series -> Double.isFinite(series.min()));
        return any ? new LineChart(title, curves, axis).draw(events) : "<p class=\"note\">No values.</p>\n";
    }

    private String draw(List<RunEvent> events) {
        add(
                "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
                WIDTH, HEIGHT, Html.escaped(title));
        drawAxes();
        events.forEach(this::drawMark);
        curves.forEach(this::drawCurve);
        drawLegend();
        return svg.append("</svg>\n").toString();
    }

    private void drawAxes() {
        for (double tick : y.ticks()) {
            add(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    LEFT, WIDTH - RIGHT, y.pixel(tick), y.pixel(tick));
            text(LEFT - 6, y.pixel(tick) + 3.5, "end", Ticks.label(tick));
        }
        for (double tick : x.ticks()) {
            text(x.pixel(tick), HEIGHT - BOTTOM + 15.0, "middle", Ticks.label(tick));
        }
        text(WIDTH - RIGHT, HEIGHT - 4.0, "end", "step");
        svg.append('\n');
    }

    private void drawMark(RunEvent event) {
        double pixel = x.pixel(event.step());
        String kind = event.kind().name().toLowerCase(Locale.ROOT);
        add(
                "<line class=\"mark %s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\">",
                kind, pixel, pixel, TOP, HEIGHT - BOTTOM);
        add(
                "<title>step %d: %s</title></line>\n",
                event.step(), Html.escaped(event.kind().label() + ": " + event.text()));
    }

    private void drawCurve(Curve curve) {
        Series series = curve.series();
        add("<path class=\"curve %s c%d\" d=\"", curve.style().name().toLowerCase(Locale.ROOT), curve.color() % COLORS);
        boolean pen = false;
        for (int i = 0; i < series.size(); i++) {
            boolean drawn = isDrawn(series.value(i));
            if (drawn) {
                add("%s%.1f %.1f", pen ? "L" : "M", x.pixel(series.step(i)), y.pixel(series.value(i)));
            }
            pen = drawn;
        }
        svg.append("\"/>\n");
        if (curve.style() == Curve.Style.DOTS) {
            drawDots(curve);
        }
    }

    private void drawDots(Curve curve) {
        Series series = curve.series();
        for (int i = 0; i < series.size(); i++) {
            if (isDrawn(series.value(i))) {
                add(
                        "<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>step %d: %.4g</title></circle>\n",
                        curve.color() % COLORS,
                        x.pixel(series.step(i)),
                        y.pixel(series.value(i)),
                        series.step(i),
                        series.value(i));
            }
        }
    }

    private boolean isDrawn(double value) {
        return Double.isFinite(value) && (!y.logarithmic() || value > 0);
    }

    private void drawLegend() {
        List<Curve> labeled =
                curves.stream().filter(curve -> !curve.label().isEmpty()).toList();
        for (int i = 0; i < labeled.size(); i++) {
            int row = TOP + 12 + 15 * i;
            add(
                    "<line class=\"curve %s c%d\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
                    labeled.get(i).style().name().toLowerCase(Locale.ROOT),
                    labeled.get(i).color() % COLORS,
                    WIDTH - RIGHT - 26,
                    WIDTH - RIGHT - 6,
                    row - 4,
                    row - 4);
            text(WIDTH - RIGHT - 32.0, row, "end", labeled.get(i).label());
        }
    }

    private void text(double px, double py, String anchor, String words) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", px, py, anchor, Html.escaped(words));
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
