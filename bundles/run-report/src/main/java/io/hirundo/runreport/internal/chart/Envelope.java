package io.hirundo.runreport.internal.chart;

import io.hirundo.runreport.internal.history.Series;

/**
 * A series with no more values than can be seen: of the steps that fall on one pixel, the smallest and the largest value, so that a
 * spike of a single step stays visible however long the run is.
 */
final class Envelope {
    private Envelope() {}

    /** The series itself where it is short. */
    static Series of(Series series, int pixels) {
        if (series.size() <= 2 * pixels) {
            return series;
        }
        var envelope = new Series();
        for (int pixel = 0; pixel < pixels; pixel++) {
            int begin = (int) ((long) pixel * series.size() / pixels);
            int end = (int) ((pixel + 1L) * series.size() / pixels);
            addExtremes(series, begin, end, envelope);
        }
        return envelope;
    }

    private static void addExtremes(Series series, int begin, int end, Series envelope) {
        int low = begin;
        int high = begin;
        for (int i = begin; i < end; i++) {
            if (!Double.isFinite(series.value(i))) {
                // A gap: where training diverged must be seen, too.
                envelope.add(series.step(i), Double.NaN);
                return;
            }
            low = series.value(i) < series.value(low) ? i : low;
            high = series.value(i) > series.value(high) ? i : high;
        }
        envelope.add(series.step(Math.min(low, high)), series.value(Math.min(low, high)));
        if (low != high) {
            envelope.add(series.step(Math.max(low, high)), series.value(Math.max(low, high)));
        }
    }
}
