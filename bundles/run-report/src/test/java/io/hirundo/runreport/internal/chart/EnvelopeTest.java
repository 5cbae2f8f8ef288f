package io.hirundo.runreport.internal.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.runreport.internal.history.Series;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EnvelopeTest {
    @Test
    void keepsASpikeOfOneStepInAMillion() {
        var spiked = new Series();
        IntStream.range(0, 1_000_000).forEach(step -> spiked.add(step, step == 123_456 ? 9 : 1));
        Series envelope = Envelope.of(spiked, 500);
        assertTrue(envelope.size() <= 1_000, () -> "size " + envelope.size());
        assertEquals(
                1,
                IntStream.range(0, envelope.size())
                        .filter(i -> envelope.value(i) == 9 && envelope.step(i) == 123_456)
                        .count());
        assertTrue(
                IntStream.range(1, envelope.size()).allMatch(i -> envelope.step(i - 1) < envelope.step(i)),
                "steps ascend");
    }

    @Test
    void keepsAGapOfOneStep() {
        Series series = constant(5_000);
        var broken = new Series();
        IntStream.range(0, series.size()).forEach(i -> broken.add(i, i == 777 ? Double.NaN : 1));
        Series envelope = Envelope.of(broken, 100);
        assertTrue(IntStream.range(0, envelope.size()).anyMatch(i -> Double.isNaN(envelope.value(i))));
    }

    @Test
    void leavesShortSeriesAsTheyAre() {
        Series series = constant(200);
        assertSame(series, Envelope.of(series, 100));
    }

    private static Series constant(int steps) {
        var series = new Series();
        IntStream.range(0, steps).forEach(step -> series.add(step, 1));
        return series;
    }
}
