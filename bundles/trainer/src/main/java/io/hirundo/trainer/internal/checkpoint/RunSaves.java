package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.event.CheckpointEvent.CheckpointBegun;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Starts the saves of a run and reports their outcomes. A strategy may write while training continues. So the outcome is checked between
 * steps, and a failure ends all processes after the same step.
 */
public final class RunSaves {
    private final LocalRun run;
    private final RunCheckpoints checkpoints;
    private final TrainingListener events;
    private final SaveTimer timer = new SaveTimer(System::nanoTime);

    public RunSaves(LocalRun run, RunCheckpoints checkpoints, TrainingListener events) {
        this.run = run;
        this.checkpoints = checkpoints;
        this.events = events;
    }

    /**
     * Whether the leading process finds that a save is due by time. The other processes learn it from the step's signals. Callable from any
     * thread.
     */
    public boolean isTimeUp() {
        return timer.isUp(run.configuration().checkpoint().everySeconds())
                && run.ranks().numbers().contains(0);
    }

    /** Starts a save, and returns when training may continue. Fails if an earlier save has failed on any rank. */
    public void begin() {
        begin(false);
    }

    /** As {@link #begin()}, but always to storage instead of memory, for the end of a run. */
    public void beginLast() {
        begin(true);
    }

    private void begin(boolean durably) {
        timer.restart();
        checkpoints
                .save(durably)
                .filter(save -> !save.hasEnded())
                .ifPresent(save -> events.on(new CheckpointBegun(run.stepsDone(), save.stallNanos())));
        // Every process must decide the same: one that ended alone would leave the others in the middle of a step.
        boolean failed = checkpoints.haveFailed();
        boolean anywhere = run.ranks().areAll()
                ? failed
                : run.exchange(failed ? "failed" : "").stream().anyMatch(text -> !text.isEmpty());
        if (anywhere) {
            settle();
        }
        publishEnded();
        run.resetClock();
    }

    /** Saves and waits until the checkpoint is durable. Empty if the run keeps no checkpoints. */
    public Optional<CheckpointInfo> saveNow() {
        timer.restart();
        checkpoints.save(true);
        Optional<CheckpointInfo> saved = settle();
        run.resetClock();
        return saved;
    }

    /** Waits for saves in progress and restores the newest checkpoint. */
    public void restore() {
        settle();
        checkpoints.rollBack().forEach(events::on);
        timer.restart();
    }

    /** Whether a save has failed in this process. The other processes learn it from the step's signals. Callable from any thread. */
    public boolean haveFailed() {
        return checkpoints.haveFailed();
    }

    /** Reports saves that have succeeded since the last call, and copies. A save is reported after all earlier ones. */
    public void publishEnded() {
        checkpoints.copies().publish(events);
        for (RunSave save : checkpoints.saves()) {
            if (!save.hasEnded() || save.hasFailed()) {
                return;
            }
            publish(save);
        }
    }

    /**
     * Waits for all saves. Returns the last checkpoint.
     *
     * @throws io.hirundo.CheckpointException the first failure
     */
    public Optional<CheckpointInfo> settle() {
        Optional<CheckpointInfo> last = Optional.empty();
        for (RunSave save : checkpoints.saves()) {
            last = Optional.of(publish(save));
        }
        return last;
    }

    /**
     * Waits until the last checkpoint is copied to the store, if the run has one. All processes must call this. See
     * {@link RemoteCopies#finish}.
     */
    public boolean awaitCopies(BooleanSupplier stop) {
        return checkpoints.copies().finish(events, stop);
    }

    private CheckpointInfo publish(RunSave save) {
        checkpoints.forget(save);
        var outcome = save.outcome();
        events.on(outcome);
        checkpoints.copies().offer(outcome.checkpoint());
        return outcome.checkpoint();
    }
}
