package io.hirundo.trainer.internal.loop;

import io.hirundo.lib.run.config.ConfigurationDifference;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.AuditSection.OnFinding;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.train.Decision;
import io.hirundo.trainer.internal.audit.reaction.AuditReaction;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.steer.ChangeRequest;
import io.hirundo.trainer.internal.swap.Pause;
import io.hirundo.trainer.internal.swap.StrategySwap;
import io.hirundo.trainer.internal.swap.SwapLossMonitor;

/** Decides requests to a running training: changes, saves, pauses, the end. All processes decide the same request after the same step. */
record RequestDecisions(
        LocalRun run,
        RunStrategies strategies,
        StrategySwap swap,
        RunSaves saves,
        Pause pause,
        AuditReaction audit,
        SwapLossMonitor lossMonitor) {
    /** Carries out the request, unless it is rejected. Collective. The caller ends the run after {@code STOP}. */
    Decision decide(ChangeRequest request) {
        return switch (request) {
            case ChangeRequest.Change change -> change(change);
            case ChangeRequest.Order order ->
                switch (order) {
                    case SAVE -> save();
                    case PAUSE -> {
                        pause.ask(true);
                        yield done("paused");
                    }
                    case RESUME -> {
                        pause.ask(false);
                        yield pause.isOn() ? rejected(pause.reason()) : done("resumed");
                    }
                    case STOP -> {
                        var checkpoint = run.configuration().checkpoint();
                        boolean saved = checkpoint.atEnd() && checkpoint.strategy() != null;
                        yield done(
                                saved
                                        ? "saves and ends"
                                        : "ends; nothing is saved (checkpoint.atEnd, checkpoint.strategy)");
                    }
                };
        };
    }

    private Decision change(ChangeRequest.Change change) {
        // Findings of earlier steps belong to the old strategies.
        if (rollsBack() && strategies.missing().isEmpty() && audit.look(true)) {
            return rejected(
                    "the run has just been rolled back to step " + run.stepsDone() + "; request the change again");
        }
        RunConfiguration before = run.configuration();
        Decision decision = swap.change(change.assignments(), lossMonitor.isOn());
        if (decision.granted()
                && ConfigurationDifference.between(before, run.configuration()).touchesLearning()) {
            saveForRollback();
            var section = run.configuration().swap();
            lossMonitor.begin(section.watchSteps(), section.watchRise());
        }
        return decision;
    }

    /** Whether audit findings roll the run back. */
    boolean rollsBack() {
        var settings = run.configuration().audit();
        return settings.isOn() && settings.onFinding() == OnFinding.ROLLBACK;
    }

    /** Saves after a change, so that no rollback crosses it: an earlier checkpoint has other data or another optimizer. */
    void saveForRollback() {
        if (rollsBack() && strategies.missing().isEmpty()) {
            saves.saveNow();
        }
    }

    private Decision save() {
        if (!strategies.missing().isEmpty()) {
            return rejected(strategies.missing());
        }
        if (audit.look(true)) {
            return rejected("the run has just been rolled back to step " + run.stepsDone() + ", which is saved");
        }
        return saves.saveNow()
                .map(saved -> done("saved " + saved.path()))
                .orElseGet(() -> rejected("checkpoint.strategy is null: the run keeps no checkpoints"));
    }

    private Decision done(String message) {
        return new Decision(true, run.stepsDone(), message);
    }

    Decision rejected(String reason) {
        return new Decision(false, run.stepsDone(), reason);
    }
}
