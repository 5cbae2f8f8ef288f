package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.event.TrainingEvent.CheckpointBegun;
import io.hirundo.event.TrainingListener;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Saves of a run and their news. A strategy may write while training goes on: what came of a save is looked at between steps, and a
 * failure ends all processes after the same step.
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

  /** Whether the process that leads finds that it is time for a save; the others are to be told with the step. Any thread may ask. */
  public boolean isTimeUp() {
    return timer.isUp(run.configuration().checkpoint().everySeconds()) && run.ranks().numbers().contains(0);
  }

  /** Begins a save; returns when training may go on. Fails if any rank knows already that one has failed. */
  public void begin() {
    begin(false);
  }

  /** As {@link #begin()}, and where the strategy keeps some in memory, not there: of a run that ends. */
  public void beginLast() {
    begin(true);
  }

  private void begin(boolean durably) {
    timer.restart();
    checkpoints.save(durably).filter(save -> !save.hasEnded()).ifPresent(
        save -> events.on(new CheckpointBegun(run.stepsDone(), save.stallNanos())));
    // Every process must say the same: one that ended alone would leave the others in the middle of a step.
    boolean failed = checkpoints.haveFailed();
    boolean anywhere =
        run.ranks().areAll() ? failed : run.exchange(failed ? "failed" : "").stream().anyMatch(text -> !text.isEmpty());
    if (anywhere) {
      settle();
    }
    tellEnded();
    run.resetClock();
  }

  /** Saves, and waits until that survives a crash; empty where the run keeps no checkpoints. */
  public Optional<CheckpointInfo> saveNow() {
    timer.restart();
    checkpoints.save(true);
    Optional<CheckpointInfo> saved = settle();
    run.resetClock();
    return saved;
  }

  /** Goes back to the newest checkpoint, once saves under way have ended. */
  public void restore() {
    settle();
    checkpoints.restore(() -> false).forEach(events::on);
    timer.restart();
  }

  /** Whether a save is known to have failed here; the others are to be told with the step. Any thread may ask. */
  public boolean haveFailed() {
    return checkpoints.haveFailed();
  }

  /** Tells of those that have ended well since the last look, and of copies; those behind one that has not ended wait for it. */
  public void tellEnded() {
    checkpoints.copies().tell(events);
    for (RunSave save : checkpoints.saves()) {
      if (!save.hasEnded() || save.hasFailed()) {
        return;
      }
      tell(save);
    }
  }

  /**
   * Waits for all saves; returns the last.
   *
   * @throws io.hirundo.CheckpointException the first failure
   */
  public Optional<CheckpointInfo> settle() {
    Optional<CheckpointInfo> last = Optional.empty();
    for (RunSave save : checkpoints.saves()) {
      last = Optional.of(tell(save));
    }
    return last;
  }

  /** Waits until the last is copied to the store, where the run has one; all processes must call this. As {@link RemoteCopies#finish}. */
  public boolean awaitCopies(BooleanSupplier stop) {
    return checkpoints.copies().finish(events, stop);
  }

  private CheckpointInfo tell(RunSave save) {
    checkpoints.forget(save);
    var outcome = save.outcome();
    events.on(outcome);
    checkpoints.copies().offer(outcome.checkpoint());
    return outcome.checkpoint();
  }
}
