package io.hirundo.runreport.internal.chart;

import io.hirundo.runreport.internal.history.Series;

/**
 * One line of a chart.
 *
 * @param label for the legend; empty: not in it
 * @param color number of the run, which has the same color in every chart
 * @param style how it is drawn
 * @param series what is drawn
 */
public record Curve(String label, int color, Style style, Series series) {
    /** How a curve is drawn. */
    public enum Style {
        /** A line of full strength. */
        LINE,
        /** The values behind a smoothed line: pale. */
        PALE,
        /** Few values, far apart: dots with a line between them. */
        DOTS
    }
}
