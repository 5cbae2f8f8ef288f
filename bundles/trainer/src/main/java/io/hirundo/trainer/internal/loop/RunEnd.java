package io.hirundo.trainer.internal.loop;

import io.hirundo.CheckpointException;
import io.hirundo.CommunicationException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.export.StoredModel;
import io.hirundo.trainer.internal.record.EventHub;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.session.LocalRun;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a run that is complete, interrupted or failed: saves the training state and the model. */
final class RunEnd {
    private static final Logger LOG = LoggerFactory.getLogger(RunEnd.class);

    private final LocalRun run;
    private final RunStrategies strategies;
    private final RunDirectory directory;
    private final RunSaves saves;
    private final EventHub events;
    private final Interruption interruption;

    RunEnd(
            LocalRun run,
            RunStrategies strategies,
            RunDirectory directory,
            RunSaves saves,
            EventHub events,
            Interruption interruption) {
        this.run = run;
        this.strategies = strategies;
        this.directory = directory;
        this.saves = saves;
        this.events = events;
        this.interruption = interruption;
    }

    /** Ends a run after its last step, or after the step at which a user asked it to stop. */
    TrainingLoop.Ending finish() {
        boolean interrupted =
                run.stepsDone() < strategies.configuration().training().steps();
        if (!interrupted) {
            boolean incomplete = !evaluate(run, events, interruption);
            if (strategies.configuration().samples().areOn()) {
                new RunSamples(run).write(interruption::isRequested).forEach(events::on);
            }
            // An interrupted final validation is not lost: --resume runs it. All processes must report the same.
            interrupted = run.ranks().areAll() ? interruption.isRequested() : incomplete;
        }
        keep(strategies.configuration().checkpoint().atEnd());
        interrupted |= saves.awaitCopies(interruption::isRequested);
        if (!interrupted) {
            directory.writeEnd(run.stepsDone());
        }
        events.on(new TrainingEvent.RunFinished(run.stepsDone(), interrupted));
        return new TrainingLoop.Ending(run.stepsDone(), interrupted, false);
    }

    /** Runs all validations. Returns whether all were completed. */
    static boolean evaluate(LocalRun run, EventHub events, Interruption interruption) {
        var validation = run.validation();
        var results = validation.all(interruption::isRequested);
        results.forEach((name, result) -> events.on(
                new TrainingEvent.EvaluationCompleted(run.stepsDone(), name, result.loss(), result.tokens())));
        return results.size() == validation.count();
    }

    /** Saves the training state, then the model. The model is saved even if the state cannot be saved. */
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
                // If the failed save has ended the world of several ranks, the model cannot be gathered.
                failure.addSuppressed(another);
            }
            throw failure;
        }
        new StoredModel(run, directory).write(events);
    }

    /**
     * Saves state and model after a strategy has become unavailable. The state is saved even without checkpoint.atEnd. A further failure
     * because of the missing strategy is attached to the exception.
     */
    void saveWhatIsPossible(UnavailableException missing) {
        try {
            keep(true);
            saves.awaitCopies(interruption::isRequested);
        } catch (HirundoException another) {
            LOG.error("could not save the final state or the model: {}", Reason.of(another));
            missing.addSuppressed(another);
        }
    }

    /** Completes saves in which all ranks took part. Cancels the copy to the store and reports that. */
    static void endSaves(LocalRun run, RunCheckpoints checkpoints, EventHub events, Throwable failure) {
        // First, so that nothing waits for ranks that have failed.
        run.ranks().abort(failure);
        try {
            checkpoints.close();
            new RunSaves(run, checkpoints, events).settle();
        } catch (HirundoException another) {
            failure.addSuppressed(another);
        }
        try {
            // After the last checkpoint is queued for copying, and before the listeners are closed.
            checkpoints.copies().close();
            checkpoints.copies().tell(events);
        } catch (RuntimeException another) {
            failure.addSuppressed(another);
        }
    }
}
