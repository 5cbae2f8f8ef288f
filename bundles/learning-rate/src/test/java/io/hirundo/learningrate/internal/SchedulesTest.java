package io.hirundo.learningrate.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.LearningRateSchedule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expected values are worked out by hand from the formulas of {@link WarmupThenDecay} and {@link DecayCurve}. */
class SchedulesTest {
    private static final double EXACT = 0;

    @Test
    void warmupReachesThePeakExactlyAtItsLastStep() {
        // 3e-4 * 7 / 7 is not 3e-4 in every order of the operations.
        var schedule = new CosineFactory().create(new DecayOptions(3e-4, 7, 1e-5));
        assertEquals(3e-4 / 7, schedule.at(1, 100), 1e-19);
        assertEquals(3e-4, schedule.at(7, 100), EXACT);
        assertTrue(schedule.at(8, 100) < 3e-4);
    }

    @Test
    void constantStays() {
        var schedule = new ConstantFactory().create(new ConstantOptions(2e-3, 2));
        assertEquals(1e-3, schedule.at(1, 10), EXACT);
        assertEquals(2e-3, schedule.at(2, 10), EXACT);
        assertEquals(2e-3, schedule.at(3, 10), EXACT);
        assertEquals(2e-3, schedule.at(10, 10), EXACT);
        assertEquals(2e-3, schedule.at(11, 10), EXACT);
    }

    @ParameterizedTest
    @CsvSource({"5, 10", "6, 9", "7, 8", "8, 7", "9, 6", "10, 5", "11, 4", "12, 3", "13, 2", "14, 2"})
    void linearFallsByEqualSteps(long step, double expected) {
        var schedule = new LinearFactory().create(new DecayOptions(10, 5, 2));
        assertEquals(expected, schedule.at(step, 13), 1e-14);
    }

    @Test
    void cosineAtItsBordersAndInTheMiddle() {
        var schedule = new CosineFactory().create(new DecayOptions(1, 10, 0.1));
        assertEquals(0.1, schedule.at(1, 110), EXACT);
        assertEquals(1, schedule.at(10, 110), EXACT);
        assertEquals(0.1 + 0.9 * (1 + Math.sqrt(0.5)) / 2, schedule.at(35, 110), 1e-15);
        assertEquals(0.55, schedule.at(60, 110), 1e-15);
        assertEquals(0.1, schedule.at(110, 110), EXACT);
        assertEquals(0.1, schedule.at(111, 110), EXACT);
    }

    @Test
    void aRunOfOneStepHasItsFinalRate() {
        assertEquals(
                0.25, new CosineFactory().create(new DecayOptions(1, 0, 0.25)).at(1, 1), EXACT);
    }

    @Test
    void aRunShorterThanItsWarmupOnlyWarmsUp() {
        var schedule = new LinearFactory().create(new DecayOptions(1, 100, 0));
        assertEquals(0.03, schedule.at(3, 3), 1e-17);
    }

    @ParameterizedTest
    @CsvSource({
        "linear, 0.75, 0.5",
        "cosine, 0.8535533905932737, 0.5",
        "exponential, 0.6817928305074290, 0.4142135623730951",
        "minus_sqrt, 0.5, 0.2928932188134524"
    })
    void wsdFallsAlongItsCurve(String curve, double atQuarter, double atHalf) {
        var schedule = new WsdFactory().create(new WsdOptions(1, 4, 0, 8, curve));
        assertEquals(0.75, schedule.at(3, 40), EXACT);
        assertEquals(1, schedule.at(4, 40), EXACT);
        assertEquals(1, schedule.at(32, 40), EXACT);
        assertEquals(atQuarter, schedule.at(34, 40), 1e-15);
        assertEquals(atHalf, schedule.at(36, 40), 1e-15);
        assertEquals(0, schedule.at(40, 40), EXACT);
    }

    @Test
    void wsdDecaysInTheLastTenthUnlessToldOtherwise() {
        LearningRateSchedule schedule = new WsdFactory().create(new WsdOptions(1, 5, 0, 0, "linear"));
        // 21 steps after the warm-up: the fall takes 3.
        assertEquals(1, schedule.at(23, 26), EXACT);
        assertEquals(2.0 / 3, schedule.at(24, 26), 1e-15);
        assertEquals(0, schedule.at(26, 26), EXACT);
    }

    @Test
    void wsdWithADecayLongerThanTheRunFallsFromTheWarmupOn() {
        LearningRateSchedule schedule = new WsdFactory().create(new WsdOptions(1, 2, 0, 50, "linear"));
        assertEquals(1, schedule.at(2, 6), EXACT);
        assertEquals(0.75, schedule.at(3, 6), EXACT);
        assertEquals(0, schedule.at(6, 6), EXACT);
    }

    @Test
    void rejectsImpossibleRatesByName() {
        var above = assertThrows(
                ConfigurationException.class, () -> new CosineFactory().create(new DecayOptions(1e-5, 0, 1e-4)));
        assertEquals(
                "learningRate.options.finalRate: 1.0E-4 is wrong (allowed: at least 0 and at most the peak, 1.0E-5)",
                above.getMessage());
        assertThrows(ConfigurationException.class, () -> new LinearFactory().create(new DecayOptions(0, 0, 0)));
        assertThrows(
                ConfigurationException.class, () -> new LinearFactory().create(new DecayOptions(Double.NaN, 0, 0)));
        // Infinite and 0 in FP32, in which kernels compute.
        assertThrows(ConfigurationException.class, () -> new LinearFactory().create(new DecayOptions(1e308, 0, 0)));
        assertThrows(ConfigurationException.class, () -> new LinearFactory().create(new DecayOptions(1e-308, 0, 0)));
        assertThrows(ConfigurationException.class, () -> new ConstantFactory().create(new ConstantOptions(1, -1)));
        assertThrows(
                ConfigurationException.class, () -> new WsdFactory().create(new WsdOptions(1, 0, 0, -1, "linear")));
        assertThrows(ConfigurationException.class, () -> new WsdFactory().create(new WsdOptions(1, 0, 0, 1, "square")));
    }

    @Test
    void stepsCountFromOne() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new ConstantFactory().create(new ConstantOptions()).at(0, 10));
    }

    @Test
    void warmupHasTheSameStepsInEveryUnit() {
        // 100 steps of 4 sequences of 16 tokens.
        for (DecayOptions options : List.of(
                new DecayOptions(1, 7, 0),
                new DecayOptions(1, 0, 0, 0.07, 0, 0),
                new DecayOptions(1, 0, 0, 0.0601, 0, 0),
                new DecayOptions(1, 0, 0, 0, 25, 0),
                new DecayOptions(1, 0, 0, 0, 28, 0),
                new DecayOptions(1, 0, 0, 0, 0, 385))) {
            LearningRateSchedule schedule = new LinearFactory().create(options).forBatch(4, 64);
            assertEquals(6.0 / 7, schedule.at(6, 100), EXACT, options.toString());
            assertEquals(1, schedule.at(7, 100), EXACT, options.toString());
            assertEquals(92.0 / 93, schedule.at(8, 100), 1e-15, options.toString());
        }
    }

    @Test
    void warmupAsAFractionFollowsTheSchedule() {
        LearningRateSchedule schedule = new ConstantFactory().create(new ConstantOptions(1, 0, 0.1, 0, 0));
        assertEquals(0.5, schedule.at(1, 20), EXACT);
        assertEquals(0.1, schedule.at(1, 100), EXACT);
        assertEquals(1, schedule.at(1, 10), EXACT);
    }

    @Test
    void rejectsWarmupInTwoUnits() {
        var failure = assertThrows(
                ConfigurationException.class,
                () -> new WsdFactory().create(new WsdOptions(1, 5, 0, 0, "linear", 0, 0, 100)));
        assertEquals(
                "learningRate.options: warmupSteps 5, warmupFraction 0.0, warmupSamples 0 and warmupTokens 100 are wrong together (allowed: one of them"
                        + " above 0); set the others to 0",
                failure.getMessage());
        assertThrows(
                ConfigurationException.class, () -> new ConstantFactory().create(new ConstantOptions(1, 0, 1.5, 0, 0)));
        assertThrows(
                ConfigurationException.class, () -> new CosineFactory().create(new DecayOptions(1, 0, 0, 0, -1, 0)));
    }
}
