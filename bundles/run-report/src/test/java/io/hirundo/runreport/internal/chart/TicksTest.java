package io.hirundo.runreport.internal.chart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TicksTest {
    @Test
    void areRoundNumbers() {
        assertEquals(List.of("0", "100", "200", "300", "400"), labels(Ticks.linear(0, 400, 5)));
        assertEquals(List.of("2", "2.5", "3", "3.5"), labels(Ticks.linear(1.93, 3.7, 4)));
        assertEquals(List.of("5e-4", "0.001", "0.0015"), labels(Ticks.linear(3e-4, 1.7e-3, 3)));
        assertEquals(List.of("0", "20k", "40k"), labels(Ticks.linear(0, 50_000, 3)));
    }

    @Test
    void ofALogarithmicAxisArePowersOfTen() {
        assertEquals(List.of("1", "10", "100", "1000"), labels(Ticks.logarithmic(0.7, 1_200)));
        assertEquals(List.of("0.5", "1", "2", "5", "10"), labels(Ticks.logarithmic(0.4, 12)));
    }

    /** Found by fuzzing: numbers so close that the next tick was the same one, forever. */
    @Test
    void valuesThatHardlyDifferHaveRoomAroundThem() {
        for (double value : new double[] {1, 1e17, -1e300}) {
            List<Double> ticks = Scale.of(value, Math.nextUp(Math.nextUp(value)), 0, 100, false)
                    .ticks();
            assertTrue(ticks.size() >= 3 && ticks.size() <= 12, ticks::toString);
            assertEquals(ticks.size(), ticks.stream().distinct().count());
        }
    }

    private static List<String> labels(List<Double> ticks) {
        return ticks.stream().map(Ticks::label).toList();
    }
}
