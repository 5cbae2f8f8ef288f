package io.hirundo.gpusuite.internal.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.gpusuite.internal.fixture.FakeTrainer;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer.Outcome;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A device whose losses leave the CPU's committed curves fails. */
class CurvesPartTest {
    private static final int STEPS = 100;
    private static final LongToDoubleFunction RIGHT = step -> 5 - 0.01 * step;

    private final List<String> written = new ArrayList<>();

    private static LossCurves curves() {
        double[] losses = IntStream.rangeClosed(1, STEPS)
                .mapToDouble(RIGHT::applyAsDouble)
                .toArray();
        var curves = new LinkedHashMap<String, double[]>();
        curves.put("bf16", losses);
        curves.put("fp8-blockwise", losses);
        return new LossCurves("llama", curves);
    }

    /** The losses of {@code fp8-blockwise}; those of {@code bf16} are right. */
    private Finding run(LongToDoubleFunction fp8, TimeBudget allowance) {
        var trainer = new FakeTrainer(
                configuration -> new Outcome(configuration.get("precision").equals("bf16") ? RIGHT : fp8, Map.of()));
        Finding found = new CurvesPart(trainer, SmallModel.curves("llama"), curves(), Choice.of("gpu"), written::add)
                .run(allowance, line -> {});
        assertEquals(0, trainer.open, "runs that nobody closed");
        return found;
    }

    private static TimeBudget allowance() {
        return new TimeBudget(1, () -> 0);
    }

    @Test
    void acceptsEqualCurvesAndWritesLosses() {
        Finding found = run(RIGHT, allowance());

        assertEquals(
                "bf16 100 steps, loss 4.9900 to 4.0000; fp8-blockwise 100 steps, loss 4.9900 to 4.0000",
                found.summary());
        assertEquals(List.of(), found.failures());
        assertTrue(found.isWhole());
        assertTrue(
                found.details().contains("| fp8-blockwise | 51 to 100 | 4.245000 | 4.245000 | 0.0e+00 | 5e-03 |"),
                found.details());
        LossCurves read = LossCurves.parse(written.getFirst());
        assertEquals(Set.of("bf16", "fp8-blockwise"), read.byPrecision().keySet());
        assertArrayEquals(curves().byPrecision().get("bf16"), read.byPrecision().get("bf16"), 1e-7);
    }

    @Test
    void namesTheFirstStepsAndWindowsThatDiffer() {
        assertEquals(
                List.of(
                        "fp8-blockwise, steps 1: the loss is 4.991000 and the CPU's 4.990000: off by 2.0e-04, allowed 1e-04"),
                run(step -> step == 1 ? 4.991 : RIGHT.applyAsDouble(step), allowance())
                        .failures());
        assertEquals(
                List.of(
                        "fp8-blockwise, steps 51 to 100: the loss is 4.345000 and the CPU's 4.245000: off by 2.4e-02, allowed 5e-03"),
                run(step -> RIGHT.applyAsDouble(step) + (step > 50 ? 0.1 : 0), allowance())
                        .failures());
        assertEquals(
                List.of(
                        "fp8-blockwise, steps 51 to 100: the loss is NaN and the CPU's 4.245000: off by NaN, allowed 5e-03"),
                run(step -> step == 99 ? Double.NaN : RIGHT.applyAsDouble(step), allowance())
                        .failures());
    }

    @Test
    void cutsStepsWhenTheTimeIsOver() {
        var seconds = new long[1];
        // The budget is checked at its start, before each run and before each step.
        var allowance = new TimeBudget(53, () -> seconds[0]++ * 1_000_000_000);
        Finding found = run(RIGHT, allowance);

        assertEquals(
                "bf16 51 steps, loss 4.9900 to 4.4900 (49 were not done for want of time);"
                        + " fp8-blockwise 0 steps (100 were not done for want of time)",
                found.summary());
        assertEquals(List.of(), found.failures());
        assertEquals(List.of(), written);
    }

    @Test
    void trainsNothingForAnotherArchitectureIfNobodyWantsItsLosses() {
        var trainer = new FakeTrainer(configuration -> {
            throw new AssertionError("trains " + configuration);
        });
        Finding found = new CurvesPart(trainer, SmallModel.curves("other"), curves(), Choice.of("gpu"), null)
                .run(allowance(), line -> {});

        assertEquals("not run: the CPU's curves are those of llama, not of other", found.summary());
        assertEquals(List.of(), found.failures());
        assertFalse(found.isWhole());
    }

    @Test
    void writesLossesOfAnotherArchitectureWithoutComparingThem() {
        var trainer = new FakeTrainer(configuration -> new Outcome(step -> 7, Map.of()));
        Finding found = new CurvesPart(trainer, SmallModel.curves("other"), curves(), Choice.of("gpu"), written::add)
                .run(allowance(), line -> {});

        assertTrue(
                found.summary().endsWith("; not compared: the CPU's curves are those of llama, not of other"),
                found.summary());
        assertEquals(List.of(), found.failures());
        assertFalse(found.isWhole());
        LossCurves losses = LossCurves.parse(written.getFirst());
        assertEquals("other", losses.architecture());
        assertEquals(STEPS, losses.steps());
    }

    /** The committed curves: a thousand steps of both precisions that learn. */
    @Test
    void committedCurvesLearn() {
        LossCurves curves = LossCurves.committed();
        assertEquals(Set.of("bf16", "fp8-blockwise"), curves.byPrecision().keySet());
        assertEquals(1000, curves.steps());
        curves.byPrecision().forEach((precision, losses) -> assertTrue(losses[999] < 0.8 * losses[0], precision));
    }
}
