package io.hirundo.monitor.internal.console;

import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.CheckpointEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.RunRolledBack;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Predicts the remaining time of a run: remaining steps at the pace of the last ones, plus remaining validations, samples and
 * saves at their mean time and interval. Time between two events counts for the later one. So slow first steps (JIT compilation,
 * cold caches) stop mattering soon, and pauses or strategy swaps do not count. There is no prediction from the first steps alone,
 * which can be 100 times slower than the others: the pace must have settled, or 5 % of the run must be done. What is shown rises only for a
 * reason ({@link SteadyTime}).
 */
final class RemainingTime {
    private static final long LEAST_STEPS = 3;
    private static final long SHARE_OF_RUN = 20;

    private final LongSupplier nanoClock;
    private final SteadyTime steady = new SteadyTime();
    private RecentSteps steps = new RecentSteps();
    private PeriodicWork evaluations = new PeriodicWork(0);
    private PeriodicWork samples = new PeriodicWork(0);
    private PeriodicWork saves = new PeriodicWork(0);
    private long lastStep = 1;
    private long enoughSteps = LEAST_STEPS;
    private long completed;
    private boolean predicts;
    private OptionalLong left = OptionalLong.empty();
    private long markNanos;

    RemainingTime(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.markNanos = nanoClock.getAsLong();
    }

    /** Receives every event of the run, in order. */
    void on(TrainingEvent event) {
        long now = nanoClock.getAsLong();
        long nanos = now - markNanos;
        switch (event) {
            case RunStarted started -> {
                steps = new RecentSteps();
                evaluations = new PeriodicWork(started.plan().firstStep());
                samples = new PeriodicWork(started.plan().firstStep());
                saves = new PeriodicWork(started.plan().firstStep());
                lastStep = started.plan().lastStep();
                enoughSteps = Math.max(LEAST_STEPS, (lastStep - started.plan().firstStep() + 1) / SHARE_OF_RUN);
                completed = started.plan().firstStep() - 1;
                predicts = false;
                steady.reset();
            }
            // The interval includes the loop's work between steps; a replayed step has only the event's own time.
            case StepCompleted step -> {
                steps.add(Math.max(nanos, step.metrics().stepNanos()));
                // From then on at every step: noise must not make the figure come and go.
                predicts |= steps.count() >= enoughSteps || steps.isSettled();
                completed = step.step();
            }
            case EvaluationCompleted evaluation -> add(evaluations, evaluation.step(), nanos);
            case SampleWritten sample -> add(samples, sample.step(), nanos);
            case CheckpointBegun begun -> add(saves, begun.step(), nanos);
            case CheckpointSaved saved -> add(saves, saved.checkpoint().step(), nanos);
            case StrategiesChanged _, RunRolledBack _ -> steady.reset();
            default -> {
                // Pauses, swaps and copies do not recur.
            }
        }
        markNanos = now;
        left = left(completed);
    }

    /** Nothing announces recurring work before its first time, which is a reason to rise. */
    private void add(PeriodicWork work, long step, double nanos) {
        if (work.isNew()) {
            steady.reset();
        }
        work.add(step, nanos);
    }

    /** Remaining nanoseconds after the last completed step; empty if too few steps were timed to predict them. */
    OptionalLong nanos() {
        return left;
    }

    /** The step from which on the pace is lasting slower, where the remaining time rose for this; empty otherwise. */
    OptionalLong slowerSince() {
        return steady.slowerSince();
    }

    private OptionalLong left(long step) {
        if (!predicts && step < lastStep) {
            return OptionalLong.empty();
        }
        double estimate = steps.nanosOf(Math.max(0, lastStep - step)) + periodicNanosAfter(step);
        return OptionalLong.of(Math.round(steady.shown(estimate, step, Math.max(1, steps.averaged()))));
    }

    private double periodicNanosAfter(long step) {
        return evaluations.nanosUntil(lastStep, step)
                + samples.nanosUntil(lastStep, step)
                + saves.nanosUntil(lastStep, step);
    }
}
