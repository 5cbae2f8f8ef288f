package io.hirundo.trainer.internal.loop;

import io.hirundo.Reason;
import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.train.Decision;
import io.hirundo.train.RunStatus;
import io.hirundo.trainer.internal.audit.reaction.AuditReaction;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.steer.ChangeRequest;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.swap.Pause;
import io.hirundo.trainer.internal.swap.StrategySwap;
import io.hirundo.trainer.internal.swap.SwapLossMonitor;
import java.util.Optional;

/**
 * What happens between two steps: handles change requests, releases and replaces strategies whose bundles have stopped, and waits during
 * pauses. All processes of a run see the same request after the same step.
 */
final class StepBoundary implements AutoCloseable {
    private final LocalRun run;
    private final RunStrategies strategies;
    private final StrategySwap swap;
    private final RunSaves saves;
    private final RunSteering steering;
    private final Interruption interruption;
    private final OfferChanges offers;
    private final Pause pause;
    private final AuditReaction audit;
    private final RequestDecisions requests;
    private final SwapLossMonitor lossMonitor = new SwapLossMonitor();
    private boolean stopRequested;

    /** Registers a listener for changes of offers. */
    StepBoundary(
            LocalRun run,
            RunStrategies strategies,
            StrategySwap swap,
            RunSaves saves,
            RunSteering steering,
            TrainingListener events,
            Interruption interruption) {
        this.run = run;
        this.strategies = strategies;
        this.swap = swap;
        this.saves = saves;
        this.steering = steering;
        this.interruption = interruption;
        this.pause = new Pause(run, strategies, events);
        this.audit = new AuditReaction(
                new AuditAccess(run, saves, pause, events), run.configuration().audit());
        this.requests = new RequestDecisions(run, strategies, swap, saves, pause, audit, lossMonitor);
        this.offers = new OfferChanges(run, strategies, swap);
        tell(Double.NaN, 0);
        steering.tell(strategies.inUse());
    }

    /** The signals of this process for the other ones; called in every step. */
    StepSignals signals() {
        return new StepSignals(
                interruption.isRequested(),
                offers.haveChanged()
                        || steering.isWaiting()
                        || saves.haveFailed()
                        || run.audits().needAttention(),
                saves.isTimeUp());
    }

    /**
     * Handles audit findings before a save. Waits for comparisons in progress.
     *
     * @param end whether no step follows
     * @return whether the run was rolled back, so that there is nothing to save
     */
    boolean lookAtAudit(boolean end) {
        return audit.look(!end);
    }

    /** Whether the run is paused. */
    boolean isPaused() {
        return pause.isOn();
    }

    /** Whether a user requested the end of the run. */
    boolean isStopRequested() {
        return stopRequested;
    }

    /** Called after each step with its metrics. {@link #visit} follows if any rank has a signal. */
    void stepDone(StepMetrics metrics) {
        tell(metrics.loss(), metrics.tokensPerSecond());
        if (lossMonitor.jumpsAt(metrics.loss())) {
            run.endStep();
            if (requests.rollsBack() && audit.look(true)) {
                return;
            }
            swap.undo("the loss rose to " + metrics.loss() + ", above " + lossMonitor.limit()
                    + ", after the last change (swap.watchRise)");
            requests.saveForRollback();
            steering.tell(strategies.inUse());
            run.resetClock();
        }
    }

    /**
     * Handles requests until there are none left. Returns when the next step can start, or the run must end.
     *
     * @throws UnavailableException if a missing strategy did not return in time
     */
    void visit() {
        pause.restartClock();
        boolean again = true;
        while (again) {
            Optional<Answer> answer = round();
            if (pause.announce()) {
                tell(steering.status().progress().loss(), 0);
            }
            // The reply is sent last, so that the requester sees the new state.
            answer.ifPresent(Answer::give);
            boolean waits = pause.isOn() && !stopRequested;
            if (waits) {
                pause.waitAMoment();
            }
            again = waits || answer.isPresent();
        }
        // The time does not count for a step.
        run.resetClock();
    }

    /** The decision on a request. Only the process that received the request has a waiting requester. */
    private record Answer(Optional<RunSteering.Waiting> waiting, Decision decision) {
        void give() {
            waiting.ifPresent(asker -> asker.decision().complete(decision));
        }
    }

    /** One round in which all processes handle the same request. Empty if there was none. */
    private Optional<Answer> round() {
        var first = steering.next();
        try {
            return decide(first);
        } catch (RuntimeException | Error failure) {
            new Answer(first, requests.rejected("the run ended: " + Reason.of(failure))).give();
            throw failure;
        }
    }

    private Optional<Answer> decide(Optional<RunSteering.Waiting> first) {
        // Only the leading process receives requests.
        var own = new BoundaryMessage(
                interruption.isRequested(),
                offers.takeChanged(),
                saves.haveFailed(),
                run.audits().needAttention(),
                first.map(waiting -> waiting.request().line()).orElse(""));
        var all = BoundaryMessage.anyOf(run.exchange(own.text()));
        stopRequested |= all.stop();
        if (all.offers() && offers.follow()) {
            // A replaced strategy is a change, too; does nothing if a strategy is missing.
            requests.saveForRollback();
            steering.tell(strategies.inUse());
        }
        if (all.unsaved()) {
            saves.settle();
        }
        saves.tellEnded();
        // While a strategy is missing, findings wait: neither a save nor a rollback would work.
        if (all.audit() && strategies.missing().isEmpty()) {
            audit.look(true);
        }
        Optional<Answer> answer = all.request().isEmpty()
                ? Optional.empty()
                : Optional.of(new Answer(first, decide(ChangeRequest.parse(all.request()))));
        steering.tell(strategies.inUse());
        return answer;
    }

    private Decision decide(ChangeRequest request) {
        stopRequested |= request == ChangeRequest.Order.STOP;
        return requests.decide(request);
    }

    private void tell(double loss, double tokensPerSecond) {
        var training = run.configuration().training();
        steering.tell(
                pause.isOn() ? RunStatus.State.PAUSED : RunStatus.State.RUNNING,
                pause.reason(),
                new RunStatus.Progress(
                        run.stepsDone(),
                        training.steps(),
                        run.stepsDone() * training.globalBatch(),
                        loss,
                        tokensPerSecond));
    }

    @Override
    public void close() {
        offers.close();
        steering.close();
    }
}
