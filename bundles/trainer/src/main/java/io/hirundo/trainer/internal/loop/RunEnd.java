package io.hirundo.trainer.internal.loop;

import io.hirundo.CheckpointException;
import io.hirundo.CommunicationException;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.export.StoredModel;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.strategy.RunStrategies;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a run keeps at its end, whether it is done, interrupted or failed: the training state and the model. */
final class RunEnd {
  private static final Logger LOG = LoggerFactory.getLogger(RunEnd.class);

  private final LocalRun run;
  private final RunStrategies strategies;
  private final RunDirectory directory;
  private final RunSaves saves;
  private final EventHub events;
  private final Interruption interruption;

  RunEnd(
      LocalRun run, RunStrategies strategies, RunDirectory directory, RunSaves saves, EventHub events, Interruption interruption) {
    this.run = run;
    this.strategies = strategies;
    this.directory = directory;
    this.saves = saves;
    this.events = events;
    this.interruption = interruption;
  }

  /** After the last step, or the one at which the user asked to stop. */
  TrainingLoop.Ending finish() {
    boolean interrupted = run.stepsDone() < strategies.configuration().training().steps();
    if (!interrupted) {
      boolean cutShort = !evaluate(run, events, interruption);
      if (strategies.configuration().samples().areOn()) {
        new RunSamples(run).write(interruption::isRequested).forEach(events::on);
      }
      // A last validation that was cut short is still to come: --resume does it. Of several processes all must say the same.
      interrupted = run.ranks().areAll() ? interruption.isRequested() : cutShort;
    }
    keep(strategies.configuration().checkpoint().atEnd());
    interrupted |= saves.awaitCopies(interruption::isRequested);
    if (!interrupted) {
      directory.writeEnd(run.stepsDone());
    }
    events.on(new TrainingEvent.RunFinished(run.stepsDone(), interrupted));
    return new TrainingLoop.Ending(run.stepsDone(), interrupted, false);
  }

  /** Whether no validation was cut short. */
  static boolean evaluate(LocalRun run, EventHub events, Interruption interruption) {
    var validation = run.validation();
    var results = validation.all(interruption::isRequested);
    results.forEach(
        (name, result) ->
            events.on(new TrainingEvent.EvaluationCompleted(run.stepsDone(), name, result.loss(), result.tokens())));
    return results.size() == validation.count();
  }

  /** The training state, then the model; which is written even where the state cannot be: to lose both would be worse. */
  private void keep(boolean state) {
    try {
      if (state && run.stepsDone() > 0) {
        saves.beginLast();
      }
      saves.settle();
    } catch (CheckpointException failure) {
      try {
        new StoredModel(run, directory).write(events);
      } catch (StorageException | CommunicationException another) {
        // Where saving has ended the world of several ranks, no model can be put together.
        failure.addSuppressed(another);
      }
      throw failure;
    }
    new StoredModel(run, directory).write(events);
  }

  /**
   * State, also where it is not kept at an end that was meant, and model; that what is missing was needed for one of them is told
   * with the failure.
   */
  void keepWhatCanBe(UnavailableException missing) {
    try {
      keep(true);
      saves.awaitCopies(interruption::isRequested);
    } catch (HirundoException another) {
      LOG.error("and not everything could be kept: {}", another.getMessage());
      missing.addSuppressed(another);
    }
  }

  /** A save that all ranks took part in still becomes a checkpoint. Its copy is cut off, with a line. */
  static void endSaves(LocalRun run, RunCheckpoints checkpoints, EventHub events, Throwable failure) {
    // First: ranks that are gone will not come, and are not to be waited for as if they would.
    run.ranks().abort(failure);
    try {
      checkpoints.close();
      new RunSaves(run, checkpoints, events).settle();
    } catch (HirundoException another) {
      failure.addSuppressed(another);
    }
    try {
      // Behind the last that may have been copied, and before nobody can be told any more.
      checkpoints.copies().close();
      checkpoints.copies().tell(events);
    } catch (RuntimeException another) {
      failure.addSuppressed(another);
    }
  }
}
