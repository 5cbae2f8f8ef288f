package io.hirundo.trainer.internal.loop;

import io.hirundo.DivergedException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.step.StepReport;
import java.util.Map;

/** Turns the report of each step into events, and ends a run whose loss or gradients are not finite. */
final class StepEvents {
  private final LocalRun run;
  private final EventHub events;
  /** Of the step that was last reported. */
  private Map<String, Long> messageBytes = Map.of();
  /** Whether the next step moves other bytes than most steps do: what comes before it leaves it more to do, or less. */
  private boolean nextIsOutlier;

  StepEvents(LocalRun run, EventHub events) {
    this.run = run;
    this.events = events;
  }

  /** Reports the step that has just been done. */
  void stepDone(StepMetrics metrics) {
    long step = run.stepsDone();
    events.on(new TrainingEvent.StepCompleted(step, metrics, run.ranks().ledger(0).liveBytes(), run.ranks().ledger(0).peakBytes()));
    StepReport report = run.lastStep();
    boolean measured = !report.rounding().isEmpty();
    // A step that measures quantization errors moves their sums, and the step after it quantizes again; fingerprints are summed over
    // ranks: no change that is worth a line.
    if (!measured && report.fingerprints().isEmpty() && !nextIsOutlier && !report.messageBytes().equals(messageBytes)) {
      messageBytes = report.messageBytes();
      events.on(new TrainingEvent.MessagesCounted(step, messageBytes));
    }
    nextIsOutlier = measured;
    if (run.device().computes()) {
      requireFinite(step, "loss", metrics.loss());
      requireFinite(step, "gradient norm", metrics.gradientNorm());
    }
    if (measured) {
      events.on(new TrainingEvent.RoundingMeasured(step, report.rounding()));
    }
    report.fingerprints().ifPresent(events::on);
    report.kernelTimes().ifPresent(times -> events.on(new TrainingEvent.KernelsTimed(step, times)));
  }

  /** Before anything is saved: such a gradient is in the weights already, though no loss shows it until the next step. */
  private static void requireFinite(long step, String figure, double value) {
    if (!Double.isFinite(value)) {
      throw new DivergedException(
          "the " + figure + " of step " + step + " is " + value
              + "; continue from an earlier checkpoint with --resume and a lower learning rate");
    }
  }

  /** The bytes that the next step moves are not compared: something between the steps leaves it more to do, or less. */
  void nextIsOutlier() {
    nextIsOutlier = true;
  }
}
