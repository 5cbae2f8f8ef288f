package io.hirundo.precisionreport.internal;

import io.hirundo.lib.precision.Fp8Codes;
import io.hirundo.tensor.DType;
import java.util.Locale;

/**
 * A histogram of exponents as SVG, on a logarithmic axis. Lines above the bars show the range of 8-bit floats, scaled so that their
 * largest value is the operand's amax (per-tensor scaling). With block scaling, each block has such a range below its own amax.
 */
final class HistogramSvg {
    private static final int WIDTH = 320;
    private static final int HEIGHT = 150;
    private static final int LEFT = 34;
    private static final int RIGHT = 6;
    private static final int TOP = 34;
    private static final int BOTTOM = 22;
    /** The axis goes this many powers of ten down from 1. */
    private static final int DECADES = 6;
    /** At most this many powers of two; smaller ones share the first bar. */
    private static final int MOST_BINS = 48;

    private static final int TICK = 8;

    private final ExponentHistogram histogram;
    private final int highest;
    private final int lowest;
    private final StringBuilder svg = new StringBuilder();

    private HistogramSvg(ExponentHistogram histogram) {
        this.histogram = histogram;
        this.highest = histogram.counts().lastKey() + 1;
        // Wide enough for both 8-bit ranges.
        int range = Math.getExponent(
                histogram.largest() * Fp8Codes.smallest(DType.FP8_E5M2) / Fp8Codes.largest(DType.FP8_E5M2));
        this.lowest = Math.max(highest - MOST_BINS, Math.min(histogram.counts().firstKey(), range - 1));
    }

    /** {@code title}: of the drawing. */
    static String draw(String title, ExponentHistogram histogram) {
        return histogram.counts().isEmpty()
                ? "<p class=\"note\">" + title + ": every element is zero or not finite.</p>\n"
                : new HistogramSvg(histogram).draw(title);
    }

    private String draw(String title) {
        svg.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT,
                title));
        double zeroPercent = 100.0 * histogram.zeros() / histogram.elements();
        text(
                LEFT,
                10,
                "start",
                title + String.format(Locale.ROOT, ", largest %.3g, %.3g %% zero", histogram.largest(), zeroPercent));
        range(DType.FP8_E4M3, "E4M3", 17);
        range(DType.FP8_E5M2, "E5M2", 27);
        axes();
        for (int exponent = lowest; exponent <= highest; exponent++) {
            bar(exponent);
        }
        return svg.append("</svg>\n").toString();
    }

    private void range(DType type, String name, int y) {
        double bottom = histogram.largest() * Fp8Codes.smallest(type) / Fp8Codes.largest(type);
        double from = x(log2(bottom));
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"range\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"5\"><title>%s: %.3g to %.3g</title></rect>\n",
                from,
                y - 5,
                x(log2(histogram.largest())) - from,
                name,
                bottom,
                histogram.largest()));
        text(LEFT - 4, y, "end", name);
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    /** X coordinate of the magnitude 2^exponent. */
    private double x(double power) {
        double part = (power - lowest) / (highest - lowest + 1);
        return LEFT + Math.clamp(part, 0, 1) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double share) {
        double part = share <= 0 ? 0 : Math.clamp(1 + Math.log10(share) / DECADES, 0, 1);
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
    }

    private void axes() {
        for (int decade = 0; decade <= DECADES; decade += 2) {
            double y = y(Math.pow(10, -decade));
            svg.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                    LEFT,
                    WIDTH - RIGHT,
                    y,
                    y));
            text(LEFT - 4, y + 3, "end", decade == 0 ? "1" : "1e-" + decade);
        }
        for (int power = Math.ceilDiv(lowest, TICK) * TICK; power <= highest; power += TICK) {
            text(x(power), HEIGHT - BOTTOM + 12.0, "middle", "2^" + power);
        }
    }

    private void bar(int exponent) {
        double share = exponent == lowest
                ? histogram.counts().headMap(exponent, true).keySet().stream()
                        .mapToDouble(histogram::share)
                        .sum()
                : histogram.share(exponent);
        if (share > 0) {
            double x = x(exponent);
            double y = y(share);
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s2^%d: %.3g</title></rect>\n",
                    x,
                    y,
                    Math.max(1, x(exponent + 1.0) - x - 0.6),
                    HEIGHT - BOTTOM - y,
                    exponent == lowest ? "up to " : "",
                    exponent,
                    share));
        }
    }

    private void text(double x, double y, String anchor, String words) {
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words));
    }
}
