package io.hirundo.runreport.internal.chart;

import java.util.List;

/**
 * Maps values to pixels along one axis.
 *
 * @param low smallest value; above zero on a logarithmic scale
 * @param high largest value, above {@code low}
 * @param from pixel of {@code low}
 * @param to pixel of {@code high}
 */
record Scale(double low, double high, double from, double to, boolean logarithmic) {
    private static final int TICKS = 5;

    /** The smallest range, relative to its values, whose ticks differ as doubles and as labels. */
    private static final double SMALLEST_RANGE = 1e-9;

    /** A scale on which {@code low} and {@code high} may be the same value, or nearly: then there is some room around it. */
    static Scale of(double low, double high, double from, double to, boolean logarithmic) {
        if (high - low > SMALLEST_RANGE * Math.max(Math.abs(low), Math.abs(high))) {
            return new Scale(low, high, from, to, logarithmic);
        }
        double room = low == 0 ? 1 : Math.abs(low) / 10;
        return new Scale(low - room, high + room, from, to, logarithmic);
    }

    double pixel(double value) {
        double part = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
        return from + Math.clamp(part, 0, 1) * (to - from);
    }

    List<Double> ticks() {
        return logarithmic ? Ticks.logarithmic(low, high) : Ticks.linear(low, high, TICKS);
    }
}
