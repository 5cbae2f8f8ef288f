package io.hirundo.runreport.internal.chart;

import java.util.Locale;
import java.util.Map;

/** Memory by category as one bar of segments, with a legend that gives the bytes. */
public final class MemoryBar {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 26;

    private MemoryBar() {}

    /**
     * The bar and its legend.
     *
     * @param bytes by category
     * @param scaleBytes what the whole width stands for, so that bars of several runs can be compared
     */
    public static String draw(Map<String, Long> bytes, long scaleBytes) {
        var bar = new StringBuilder();
        var legend = new StringBuilder("<ul class=\"legend\">");
        double left = 0;
        int color = 0;
        for (Map.Entry<String, Long> category : bytes.entrySet()) {
            if (category.getValue() > 0) {
                double width = (double) category.getValue() / scaleBytes * WIDTH;
                String label = Html.escaped(category.getKey() + " " + size(category.getValue()));
                bar.append(String.format(
                        Locale.ROOT,
                        "<rect class=\"m%d\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"><title>%s</title></rect>",
                        color,
                        left,
                        width,
                        HEIGHT,
                        label));
                legend.append("<li><span class=\"swatch m")
                        .append(color)
                        .append("\"></span>")
                        .append(label)
                        .append("</li>");
                left += width;
            }
            color++;
        }
        return "<svg class=\"bar\" viewBox=\"0 0 " + WIDTH + " " + HEIGHT
                + "\" preserveAspectRatio=\"none\" role=\"img\" " + "aria-label=\"memory by category\">" + bar
                + "</svg>\n" + legend + "</ul>\n";
    }

    /** {@code 1.23 GB}, in powers of ten. */
    public static String size(long bytes) {
        return bytes >= 1_000_000_000
                ? String.format(Locale.ROOT, "%.2f GB", bytes / 1e9)
                : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
