package io.hirundo.runreport.internal.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SeriesTest {
    @Test
    void smoothingKeepsAConstantAndDoesNotLagBehindARamp() {
        assertEquals(3, of(500, _ -> 3).smoothed(10).value(250), 1e-12);
        assertEquals(250, of(500, i -> i).smoothed(10).value(250), 1e-6);
    }

    @Test
    void smoothingLeavesOutNaN() {
        Series smoothed = of(100, i -> i == 50 ? Double.NaN : 2).smoothed(5);
        assertEquals(99, smoothed.size());
        assertEquals(2, smoothed.value(50), 1e-12);
    }

    @Test
    void lastSmoothedValueIsAnAverage() {
        Series smoothed = of(1_000, i -> i == 999 ? 100 : 0).smoothed(20);
        assertEquals(10, smoothed.last(), 5);
    }

    private static Series of(int size, IntToDoubleFunction value) {
        var series = new Series();
        for (int i = 0; i < size; i++) {
            series.add(i, value.applyAsDouble(i));
        }
        return series;
    }
}
