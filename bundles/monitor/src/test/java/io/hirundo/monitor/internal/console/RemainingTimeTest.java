package io.hirundo.monitor.internal.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.RunPaused;
import io.hirundo.event.TrainingEvent.RunResumed;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.monitor.internal.Events;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replays runs of known length and compares what is predicted on the way with what then comes. */
class RemainingTimeTest {
    private static final double STEP_SECONDS = 0.1;
    private static final double ALLOWED = 0.3;
    private static final double MOST_TOO_LONG = 2;

    /** Runs with what disturbs an estimate. */
    private enum Replay {
        STEADY(1000, 1, step -> STEP_SECONDS),
        /** Compiling: the first step takes 30 times as long, and that fades. */
        SLOW_FIRST_STEPS(1000, 1, step -> STEP_SECONDS * (1 + 29 * Math.exp(-(step - 1) / 6.0))),
        SLOW_FIRST_STEPS_OF_A_SHORT_RUN(400, 1, step -> STEP_SECONDS * (1 + 29 * Math.exp(-(step - 1) / 2.0))),
        /** Three steps are seen, all of them far slower than what follows. */
        COMPILING_FOR_STEPS_OF_60(60, 1, step -> STEP_SECONDS * (1 + 29 * Math.exp(-(step - 1) / 1.5))),
        COMPILING_FOR_STEPS_OF_100(100, 1, step -> STEP_SECONDS * (1 + 29 * Math.exp(-(step - 1) / 2.0))),
        COMPILING_AND_NOISE_OF_200(
                200,
                1,
                step -> STEP_SECONDS
                        * (1 + 29 * Math.exp(-(step - 1) / 2.0))
                        * (0.9 + 0.2 * new Random(step).nextDouble())),
        COMPILING_FOR_MANY_STEPS_OF_300(300, 1, step -> STEP_SECONDS * (1 + 29 * Math.exp(-(step - 1) / 6.0))),
        /** A kernel cache that is empty, then the capture of a CUDA graph. */
        TWO_SLOW_STEPS_OF_100(100, 1, step -> step == 1 ? 60 : step == 2 ? 12 : STEP_SECONDS),
        UNEVEN(1000, 1, step -> STEP_SECONDS * (0.5 + new Random(step).nextDouble())),
        /** Bound by a slow loader: every fourth step waits. */
        EVERY_FOURTH_WAITS(1000, 1, step -> step % 4 == 0 ? 2.5 * STEP_SECONDS : STEP_SECONDS),
        /** A machine that slept for ten minutes. */
        ONE_LONG_STEP(1000, 1, step -> step == 45 ? 600 : STEP_SECONDS),
        VALIDATIONS_AND_SAVES(1000, 1, step -> STEP_SECONDS) {
            @Override
            void after(long step, RemainingTimeTest test) {
                test.validate(step, 25, 3);
                test.save(step, 40, 2);
            }
        },
        /** A third of the time goes into validation, of two datasets. */
        LONG_VALIDATIONS(2000, 1, step -> STEP_SECONDS) {
            @Override
            void after(long step, RemainingTimeTest test) {
                test.validate(step, 100, 2.5);
                test.validate(step, 100, 2.5);
            }
        },
        SAVES_IN_THE_BACKGROUND(1000, 1, step -> STEP_SECONDS) {
            @Override
            void after(long step, RemainingTimeTest test) {
                test.beginSave(step, 30, 1);
                test.endSave(step, 30, 7);
            }
        },
        /** Its validations come at 300, 400, ...: fifty steps after its first step. */
        RESUMED(1250, 251, step -> STEP_SECONDS * (1 + 9 * Math.exp(-(step - 251) / 4.0))) {
            @Override
            void after(long step, RemainingTimeTest test) {
                test.validate(step, 20, 1);
            }
        },
        PAUSED(1000, 1, step -> STEP_SECONDS) {
            @Override
            void after(long step, RemainingTimeTest test) {
                if (step == 40) {
                    test.tell(new RunPaused(step, "as asked"));
                    test.pass(3600);
                    test.tell(new RunResumed(step, 3_600_000_000_000L));
                }
            }
        };

        private final long lastStep;
        private final long firstStep;
        private final LongToDoubleFunction seconds;

        Replay(long lastStep, long firstStep, LongToDoubleFunction seconds) {
            this.lastStep = lastStep;
            this.firstStep = firstStep;
            this.seconds = seconds;
        }

        void after(long step, RemainingTimeTest test) {}
    }

    private record Prediction(long step, double atSeconds, double leftSeconds) {}

    private final RemainingTime remaining = new RemainingTime(this::nanos);
    private double seconds;

    private long nanos() {
        return Math.round(seconds * 1e9);
    }

    private void pass(double more) {
        seconds += more;
    }

    private void tell(TrainingEvent event) {
        remaining.on(event);
    }

    private void validate(long step, long every, double takes) {
        if (step % every == 0) {
            pass(takes);
            tell(Events.evaluation(step, 3));
        }
    }

    private void beginSave(long step, long every, double takes) {
        if (step % every == 0) {
            pass(takes);
            tell(new CheckpointBegun(step, Math.round(takes * 1e9)));
        }
    }

    private void endSave(long step, long every, long later) {
        if (step % every == later && step > every) {
            tell(Events.checkpoint(Path.of("checkpoints"), step - later));
        }
    }

    private void save(long step, long every, double takes) {
        if (step % every == 0) {
            pass(takes);
            tell(Events.checkpoint(Path.of("checkpoints"), step));
        }
    }

    @ParameterizedTest
    @EnumSource
    void isWithin30PercentAfter5PercentOfTheRun(Replay replay) {
        List<Prediction> predictions = replayed(replay, replay.lastStep);
        long begin = replay.firstStep - 1 + (replay.lastStep - replay.firstStep + 1) / 20;
        // Where only a few steps are left, a validation more or less is everything.
        long end = replay.lastStep - Math.min(100, replay.lastStep / 4);
        List<Prediction> compared = predictions.stream()
                .filter(each -> each.step() >= begin && each.step() <= end)
                .toList();
        assertEquals(end - begin + 1, compared.size(), "from 5 % on at every step");
        for (Prediction prediction : compared) {
            double left = seconds - prediction.atSeconds();
            // A pause or a sleep that is still to come is nobody's to know.
            boolean isKnown = !(replay == Replay.PAUSED && prediction.step() < 40)
                    && !(replay == Replay.ONE_LONG_STEP && prediction.step() < 45);
            assertTrue(
                    !isKnown || Math.abs(prediction.leftSeconds() - left) <= ALLOWED * left,
                    () -> replay + ": " + prediction + ", but it was " + left);
        }
    }

    /** Ten times as long: there 5 % say nothing of the first steps. */
    @ParameterizedTest
    @EnumSource
    void isNeverTwiceAsLongAsTheRunTakesAlthoughFirstStepsAreSlow(Replay replay) {
        List<Prediction> predictions = replayed(replay, 10 * replay.lastStep);
        assertTrue(
                predictions.getFirst().step() >= replay.firstStep + 2,
                () -> predictions.getFirst().toString());
        // At the very end a validation less is everything.
        for (Prediction prediction : predictions.subList(0, predictions.size() / 2)) {
            double left = seconds - prediction.atSeconds();
            assertTrue(
                    prediction.leftSeconds() <= MOST_TOO_LONG * left,
                    () -> replay + ": " + prediction + ", but it was " + left);
        }
    }

    /** Slow first steps are no reason, nor is noise; the first validation or save is one. */
    @ParameterizedTest
    @EnumSource
    void risesOnlyForReason(Replay replay) {
        long reasons = switch (replay) {
            case VALIDATIONS_AND_SAVES -> 2;
            case LONG_VALIDATIONS, SAVES_IN_THE_BACKGROUND -> 1;
            default -> 0;
        };
        assertEquals(reasons, rises(replayed(replay, replay.lastStep)));
    }

    /** An early estimate, from few steps, may be too low by chance; then it rises once. */
    @Test
    void seldomRisesForNoiseAndCollectionsOfGarbage() {
        long rises = 0;
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            List<Prediction> predictions = replayed(
                    1,
                    2000,
                    step -> STEP_SECONDS * Math.exp(0.15 * random.nextGaussian()) * (step % 37 == 0 ? 4 : 1),
                    (_, _) -> {});
            rises += rises(predictions);
        }
        assertTrue(rises <= 3, rises + " rises");
    }

    /** Times vary by 30 %: no pace changes, and nothing rises. */
    @Test
    void neverRisesForHeavyNoise() {
        for (int seed = 0; seed < 20; seed++) {
            assertEquals(0, rises(replayed(1, 2000, heavyNoise(seed, 0)::get, (_, _) -> {})), "seed " + seed);
        }
    }

    /** Other programs slow the machine down for a hundred steps now and then. */
    @Test
    void saysSoWhereItRisesForALastingSlowdown() {
        long rises = 0;
        for (int seed = 0; seed < 20; seed++) {
            var told = new HashSet<Long>();
            List<Prediction> predictions = replayed(1, 2000, heavyNoise(seed, 0.95)::get, (step, test) -> {
                if (test.remaining.slowerSince().isPresent()) {
                    told.add(step);
                }
            });
            for (int i = 1; i < predictions.size(); i++) {
                if (predictions.get(i).leftSeconds() > predictions.get(i - 1).leftSeconds()) {
                    rises++;
                    assertTrue(told.contains(predictions.get(i).step()), predictions.get(i)::toString);
                }
            }
        }
        assertTrue(rises > 0, "no slowdown lasted");
    }

    /**
     * Logarithms of times with a standard deviation of 0.3.
     *
     * @param persistence what a step inherits of the deviation of the one before
     */
    private static Map<Long, Double> heavyNoise(int seed, double persistence) {
        var random = new Random(seed);
        var times = new HashMap<Long, Double>();
        double deviation = 0;
        for (long step = 1; step <= 2000; step++) {
            deviation =
                    persistence * deviation + Math.sqrt(1 - persistence * persistence) * 0.3 * random.nextGaussian();
            times.put(step, STEP_SECONDS * Math.exp(deviation));
        }
        return times;
    }

    @Test
    void saysSinceWhenARunIsSlower() {
        replayed(1, 1000, step -> step <= 300 ? STEP_SECONDS : 2 * STEP_SECONDS, (step, test) -> {
            OptionalLong slower = test.remaining.slowerSince();
            if (step <= 300 || step > 900) {
                assertEquals(OptionalLong.empty(), slower, "step " + step);
            } else if (step == 450) {
                assertEquals(300, slower.orElseThrow(), 15);
            }
        });
    }

    @Test
    void risesIfStepsBecomeSlower() {
        List<Prediction> predictions =
                replayed(1, 1000, step -> step <= 300 ? STEP_SECONDS : 2 * STEP_SECONDS, (_, _) -> {});
        assertTrue(rises(predictions) > 0);
        Prediction later = predictions.stream()
                .filter(each -> each.step() == 450)
                .findFirst()
                .orElseThrow();
        assertEquals(seconds - later.atSeconds(), later.leftSeconds(), 0.2 * later.leftSeconds());
    }

    private static long rises(List<Prediction> predictions) {
        return IntStream.range(1, predictions.size())
                .filter(i -> predictions.get(i).leftSeconds()
                        > predictions.get(i - 1).leftSeconds())
                .count();
    }

    private List<Prediction> replayed(Replay replay, long lastStep) {
        return replayed(replay.firstStep, lastStep, replay.seconds, replay::after);
    }

    private List<Prediction> replayed(
            long firstStep,
            long lastStep,
            LongToDoubleFunction stepSeconds,
            BiConsumer<Long, RemainingTimeTest> after) {
        // What opening the run takes comes once.
        pass(20);
        tell(Events.started(Path.of("runs", "a"), firstStep, lastStep));
        List<Prediction> predictions = new ArrayList<>();
        for (long step = firstStep; step <= lastStep; step++) {
            double took = stepSeconds.applyAsDouble(step);
            pass(took);
            tell(Events.step(step, new StepMetrics(3, 1, 1e-4, 2048, Math.round(took * 1e9), 1e11)));
            after.accept(step, this);
            OptionalLong left = remaining.nanos();
            if (left.isPresent()) {
                predictions.add(new Prediction(step, seconds, left.getAsLong() / 1e9));
            }
        }
        return predictions;
    }

    @Test
    void isZeroAtTheEnd() {
        tell(Events.started(Path.of("runs", "a"), 1, 10));
        for (long step = 1; step <= 10; step++) {
            pass(1);
            tell(Events.step(step, 3));
            validate(step, 5, 2);
        }
        assertEquals(OptionalLong.of(0), remaining.nanos());
    }
}
