package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.CheckpointBegun;
import io.hirundo.event.TrainingEvent.CheckpointSaved;
import io.hirundo.event.TrainingEvent.EvaluationCompleted;
import io.hirundo.event.TrainingEvent.RunStarted;
import io.hirundo.event.TrainingEvent.SampleWritten;
import io.hirundo.event.TrainingEvent.StepCompleted;
import java.util.function.LongSupplier;

/**
 * Predicts how long a run still takes: the steps to come at the pace of the last ones, plus the validations, samples and saves to come at
 * the mean time and interval of those seen. The time between two events belongs to the later one. So the first steps, slow while
 * code compiles and caches fill, do not count for long, and a pause or a change of strategies does not count at all.
 */
final class RemainingTime {
  private final LongSupplier nanoClock;
  private RecentSteps steps = new RecentSteps();
  private PeriodicWork evaluations = new PeriodicWork(0);
  private PeriodicWork samples = new PeriodicWork(0);
  private PeriodicWork saves = new PeriodicWork(0);
  private long lastStep = 1;
  private long markNanos;

  RemainingTime(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.markNanos = nanoClock.getAsLong();
  }

  /** Takes in every event of the run, in order. */
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
      }
      // The interval also holds what the loop does between steps; the event alone knows a step that was replayed to this clock.
      case StepCompleted step -> steps.add(Math.max(nanos, step.metrics().stepNanos()));
      case EvaluationCompleted evaluation -> evaluations.add(evaluation.step(), nanos);
      case SampleWritten sample -> samples.add(sample.step(), nanos);
      case CheckpointBegun begun -> saves.add(begun.step(), nanos);
      case CheckpointSaved saved -> saves.add(saved.checkpoint().step(), nanos);
      default -> {
        // Pauses, changes, copies: what they took does not come again.
      }
    }
    markNanos = now;
  }

  /** After this step, in nanoseconds. */
  long nanosAfter(long step) {
    double left = steps.nanosOf(Math.max(0, lastStep - step)) + periodicNanosAfter(step);
    return Math.round(left);
  }

  private double periodicNanosAfter(long step) {
    return evaluations.nanosUntil(lastStep, step) + samples.nanosUntil(lastStep, step) + saves.nanosUntil(lastStep, step);
  }
}
