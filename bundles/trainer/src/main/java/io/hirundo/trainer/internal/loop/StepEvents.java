package io.hirundo.trainer.internal.loop;

import io.hirundo.DivergedException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.StepReport;
import java.util.Map;

/** Converts the report of each step into events. Ends a run whose loss or gradient norm is not finite. */
final class StepEvents {
    private final LocalRun run;
    private final EventBus events;
    /** Bytes of the collectives at the last report. */
    private Map<String, Long> collectiveBytes = Map.of();
    /** Whether the next step is an outlier whose collectives move more or fewer bytes, because of work between the steps. */
    private boolean nextIsOutlier;

    StepEvents(LocalRun run, EventBus events) {
        this.run = run;
        this.events = events;
    }

    /** Reports the completed step. */
    void stepDone(StepMetrics metrics) {
        long step = run.stepsDone();
        events.on(new TrainingEvent.StepCompleted(
                step,
                metrics,
                run.ranks().ledger(0).liveBytes(),
                run.ranks().ledger(0).peakBytes()));
        StepReport report = run.lastStep();
        boolean measured = !report.rounding().isEmpty();
        // A step that measures quantization error also reduces the measurements, and the step after it quantizes
        // weights again. Fingerprints
        // are reduced over ranks. None of these is a change worth reporting.
        if (!measured
                && report.fingerprints().isEmpty()
                && !nextIsOutlier
                && !report.collectiveBytes().equals(collectiveBytes)) {
            collectiveBytes = report.collectiveBytes();
            events.on(new TrainingEvent.MessagesCounted(step, collectiveBytes));
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

    /** Checked before anything is saved: the weights already contain the gradient, although the loss shows it only in the next step. */
    private static void requireFinite(long step, String figure, double value) {
        if (!Double.isFinite(value)) {
            throw new DivergedException("the " + figure + " of step " + step + " is " + value);
        }
    }

    /** Excludes the next step from the comparison of bytes, because work between the steps changes them. */
    void nextIsOutlier() {
        nextIsOutlier = true;
    }
}
