package io.hirundo.lib.run.rate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.optimizer.LearningRateSchedule;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScheduleContinuationTest {
    private static final LearningRateSchedule LINEAR_TO_ZERO = (step, steps) -> 1 - (double) step / steps;
    private static final LearningRateSchedule LINEAR_TO_TENTH = (step, steps) -> 1 - 0.9 * step / steps;
    private static final LearningRateSchedule STABLE_THEN_DECAY =
            (step, steps) -> step <= steps - 3 ? 1 : (steps - step + 1) / 4.0;
    private static final LearningRateSchedule INVERSE_ROOT = (step, steps) -> 1 / Math.sqrt(step);
    private static final SavedSchedule OF_TEN = new SavedSchedule(Optional.of(new ScheduleSpan(0, 10)), 10);

    private static ScheduleContinuation continuation(
            LearningRateSchedule schedule,
            long steps,
            long scheduleSteps,
            long at,
            SavedSchedule saved,
            ScheduleChoice choice) {
        var training = new TrainingSection(steps, 16, 1, 4, 1, Recompute.NONE, scheduleSteps);
        return new ScheduleContinuation(
                RunRates.of(schedule, training, ScheduleSpan.of(training)),
                training,
                at,
                saved,
                choice,
                any -> "train c.yaml --lr-schedule " + any.name().toLowerCase(Locale.ROOT));
    }

    private static RunRates rates(
            LearningRateSchedule schedule, long steps, long scheduleSteps, long at, ScheduleChoice choice) {
        ScheduleContinuation continuation = continuation(schedule, steps, scheduleSteps, at, OF_TEN, choice);
        return continuation.rates().over(continuation.decide().span());
    }

    @Test
    void keepsScheduleAndItsLastRateWhenARunIsExtended() {
        RunRates rates = rates(LINEAR_TO_TENTH, 20, 0, 10, ScheduleChoice.UNCHANGED);
        assertEquals(0.1, rates.at(10), 1e-15);
        assertEquals(rates.at(10), rates.at(11));
        assertEquals(rates.at(10), rates.at(20));
    }

    @Test
    void scheduleThatHasOnlyWarmedUpKeepsItsLastRate() {
        LearningRateSchedule warmUpThenDecay = (step, steps) -> step <= 4 ? step / 4.0 : 1 - (step - 4.0) / (steps - 4);
        var saved = new SavedSchedule(Optional.of(new ScheduleSpan(0, 4)), 4);
        var continuation = continuation(warmUpThenDecay, 8, 0, 4, saved, ScheduleChoice.UNCHANGED);
        RunRates rates = continuation.rates().over(continuation.decide().span());
        assertEquals(1, rates.at(5));
        assertEquals(1, rates.at(8));
    }

    @Test
    void rejectsARateOfZeroAfterAnEarlierChoice() {
        // config.json names the length that was chosen.
        var saved = new SavedSchedule(Optional.of(new ScheduleSpan(0, 8)), 8);
        var continuation = continuation(LINEAR_TO_ZERO, 10, 8, 8, saved, ScheduleChoice.UNCHANGED);
        var failure = assertThrows(ConfigurationException.class, continuation::decide);
        assertTrue(failure.getMessage().contains("the rate 0"), failure.getMessage());
    }

    @Test
    void extensionBeforeTheEndOfTheScheduleMovesNoRate() {
        RunRates rates = rates(LINEAR_TO_TENTH, 20, 0, 4, ScheduleChoice.UNCHANGED);
        for (int step = 1; step <= 10; step++) {
            assertEquals(LINEAR_TO_TENTH.at(step, 10), rates.at(step));
        }
    }

    @Test
    void shortenedRunKeepsItsRates() {
        assertEquals(
                LINEAR_TO_TENTH.at(5, 10),
                rates(LINEAR_TO_TENTH, 6, 0, 4, ScheduleChoice.UNCHANGED).at(5));
    }

    @Test
    void scheduleThatIgnoresItsLengthContinues() {
        assertEquals(
                1 / Math.sqrt(20),
                rates(INVERSE_ROOT, 20, 0, 10, ScheduleChoice.UNCHANGED).at(20));
    }

    @Test
    void stableScheduleDecaysLaterWithoutAChoiceIfItHasNotBegunToDecay() {
        RunRates rates = rates(STABLE_THEN_DECAY, 20, 20, 6, ScheduleChoice.UNCHANGED);
        assertEquals(1, rates.at(17));
        assertEquals(0.25, rates.at(20));
        assertThrows(ConfigurationException.class, () -> rates(STABLE_THEN_DECAY, 20, 20, 8, ScheduleChoice.UNCHANGED));
        // Without a length the schedule that the run began with decays.
        assertEquals(
                0.25,
                rates(STABLE_THEN_DECAY, 20, 0, 6, ScheduleChoice.UNCHANGED).at(10));
    }

    @Test
    void rejectsExtensionThatTrainsNothing() {
        var failure = assertThrows(
                ConfigurationException.class, () -> rates(LINEAR_TO_ZERO, 20, 0, 10, ScheduleChoice.UNCHANGED));
        assertEquals(
                "training.steps: 20 extends the run beyond its learning-rate schedule, which ends with step 10 and the rate 0, so that later steps would"
                        + " train nothing; choose one: keep the schedule and its last rate, 0, with train c.yaml --lr-schedule keep; stretch it to step 20, so"
                        + " that step 11 has the rate 0.45, with train c.yaml --lr-schedule stretch; warm up again from step 11 with train c.yaml"
                        + " --lr-schedule restart",
                failure.getMessage());
        assertEquals(0, rates(LINEAR_TO_ZERO, 20, 0, 10, ScheduleChoice.KEEP).at(20));
        // A run that was extended before resumes without another choice.
        var extended = new SavedSchedule(OF_TEN.span(), 20);
        assertEquals(
                10,
                continuation(LINEAR_TO_ZERO, 20, 0, 12, extended, ScheduleChoice.UNCHANGED)
                        .decide()
                        .span()
                        .end());
    }

    @ParameterizedTest
    @EnumSource(ScheduleChoice.class)
    void everyChoiceWorksWhereALengthMovesTheRate(ScheduleChoice choice) {
        if (choice == ScheduleChoice.UNCHANGED) {
            var failure = assertThrows(ConfigurationException.class, () -> rates(LINEAR_TO_TENTH, 20, 20, 10, choice));
            assertTrue(
                    failure.getMessage().startsWith("training.scheduleSteps: 20 moves the learning rate: "),
                    failure.getMessage());
            assertTrue(
                    failure.getMessage().contains("gives step 11 the rate 0.1, and this one 0.505; choose one: keep "),
                    failure.getMessage());
        } else {
            double eleventh =
                    choice == ScheduleChoice.KEEP ? 0.1 : choice == ScheduleChoice.STRETCH ? 0.505 : 1 - 0.9 / 20;
            assertEquals(eleventh, rates(LINEAR_TO_TENTH, 20, 20, 10, choice).at(11), 1e-15);
        }
    }

    @Test
    void restartedScheduleCountsFromItsBegin() {
        var outcome = continuation(LINEAR_TO_TENTH, 30, 0, 10, OF_TEN, ScheduleChoice.RESTART)
                .decide();
        assertEquals(new ScheduleSpan(10, 20), outcome.span());
        assertEquals(
                "learningRate: a new schedule begins, with its warm-up, and ends with step 30; step 11 has the rate 0.955, after 0.1",
                outcome.line().orElseThrow());
        var saved = new SavedSchedule(Optional.of(outcome.span()), 30);
        assertEquals(
                outcome.span(),
                continuation(LINEAR_TO_TENTH, 40, 0, 25, saved, ScheduleChoice.UNCHANGED)
                        .decide()
                        .span());
        assertEquals(
                new ScheduleSpan(10, 30),
                continuation(LINEAR_TO_TENTH, 40, 0, 25, saved, ScheduleChoice.STRETCH)
                        .decide()
                        .span());
    }

    @Test
    void rejectsUnknownLengthUnlessItChangesNothing() {
        var unknown = new SavedSchedule(Optional.empty(), 0);
        var failure = assertThrows(
                ConfigurationException.class,
                () -> continuation(LINEAR_TO_TENTH, 20, 0, 10, unknown, ScheduleChoice.UNCHANGED)
                        .decide());
        assertTrue(failure.getMessage().contains("add --set training.scheduleSteps=N"), failure.getMessage());
        assertEquals(
                10,
                continuation(LINEAR_TO_TENTH, 20, 10, 10, unknown, ScheduleChoice.UNCHANGED)
                        .decide()
                        .span()
                        .steps());
        assertEquals(
                20,
                continuation((step, steps) -> 1, 20, 0, 10, unknown, ScheduleChoice.UNCHANGED)
                        .decide()
                        .span()
                        .steps());
    }

    @Test
    void saysWhatARunDoesThatDoesNotEndWithItsSchedule() {
        assertEquals(
                "learningRate: the schedule ends with step 10 (training.scheduleSteps), and steps 11 to 20 have its last rate, 0.1",
                rates(LINEAR_TO_TENTH, 20, 10, 10, ScheduleChoice.UNCHANGED)
                        .note(20)
                        .orElseThrow());
        assertEquals(
                "learningRate: the run ends with step 5, before its schedule does with step 10 (training.scheduleSteps), at the rate 0.55",
                rates(LINEAR_TO_TENTH, 5, 10, 3, ScheduleChoice.UNCHANGED)
                        .note(5)
                        .orElseThrow());
        assertEquals(
                Optional.empty(),
                rates(LINEAR_TO_TENTH, 10, 0, 3, ScheduleChoice.UNCHANGED).note(10));
    }
}
