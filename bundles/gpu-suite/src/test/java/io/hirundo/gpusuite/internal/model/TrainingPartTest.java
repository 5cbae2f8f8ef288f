package io.hirundo.gpusuite.internal.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.gpusuite.internal.fixture.FakeTrainer;
import io.hirundo.gpusuite.internal.fixture.FakeTrainer.Outcome;
import io.hirundo.gpusuite.internal.part.Part.Finding;
import io.hirundo.gpusuite.internal.part.TimeBudget;
import io.hirundo.strategy.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

/** A run that deviates from the CPU, or does not learn, is a failure. */
class TrainingPartTest {
    private static final int STEPS = 20;
    private static final LongToDoubleFunction RIGHT = step -> 6 - 0.1 * step;

    private final List<String> progress = new ArrayList<>();

    private Finding train(LongToDoubleFunction gpu, TimeBudget allowance) {
        var trainer = new FakeTrainer(Map.of("gpu", new Outcome(gpu, Map.of()), "cpu", new Outcome(RIGHT, Map.of())));
        Finding found = new TrainingPart(
                        trainer, SmallModel.trained("llama"), STEPS, Choice.of("gpu"), Choice.of("cpu"))
                .run(allowance, progress::add);
        assertEquals(0, trainer.open, "runs that nobody closed");
        return found;
    }

    private static TimeBudget allowance() {
        return new TimeBudget(1, () -> 0);
    }

    @Test
    void reportsLossesAndSpeed() {
        Finding found = train(RIGHT, allowance());

        assertEquals("20 steps, loss 5.9000 to 4.0000, 50000 tokens/s, 0.50 TFLOP/s", found.summary());
        assertEquals(List.of(), found.failures());
        assertTrue(found.details().contains("| 5 | 5.500000 | 5.500000 | 0.0e+00 | 5e-03 |"), found.details());
    }

    @Test
    void namesADeviatingStep() {
        Finding found = train(step -> step == 3 ? 5.8 : RIGHT.applyAsDouble(step), allowance());

        assertEquals(
                List.of("the loss of step 3 is 5.800000 and the CPU's 5.700000: off by 1.8e-02, allowed 5e-03"),
                found.failures());
        assertEquals(found.failures(), progress);
    }

    @Test
    void reportsARunThatDoesNotLearn() {
        assertEquals(
                List.of("it does not learn: the loss went from 5.9000 to 5.9000"),
                train(step -> step == STEPS ? 5.9 : RIGHT.applyAsDouble(step), allowance())
                        .failures());
        assertEquals(
                List.of("it does not learn: the loss went from 5.9000 to NaN"),
                train(step -> step == STEPS ? Double.NaN : RIGHT.applyAsDouble(step), allowance())
                        .failures());
    }

    @Test
    void cutsStepsWhenTheTimeIsOver() {
        var seconds = new long[1];
        // The budget is checked at its start and after each step.
        var allowance = new TimeBudget(3, () -> seconds[0]++ * 1_000_000_000);
        Finding found = train(RIGHT, allowance);

        assertEquals(
                "3 steps, loss 5.9000 to 5.7000, 50000 tokens/s, 0.50 TFLOP/s; 17 steps were not done for want of time;"
                        + " the CPU did 1 of 5 for want of time",
                found.summary());
        assertEquals(List.of(), found.failures());
    }
}
