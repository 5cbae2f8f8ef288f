package io.hirundo.trainer.internal.loop;

import io.hirundo.DivergedException;
import io.hirundo.StorageException;
import io.hirundo.UnavailableException;
import io.hirundo.command.Interruption;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.StepMetrics;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.config.Intervals;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.checkpoint.RemoteCopies;
import io.hirundo.trainer.internal.checkpoint.RunCheckpoints;
import io.hirundo.trainer.internal.checkpoint.RunSaves;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import io.hirundo.trainer.internal.export.StoredModel;
import io.hirundo.trainer.internal.record.EventBus;
import io.hirundo.trainer.internal.record.FingerprintFile;
import io.hirundo.trainer.internal.record.LogCapture;
import io.hirundo.trainer.internal.record.RunDirectory;
import io.hirundo.trainer.internal.record.RunLog;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RunDescription;
import io.hirundo.trainer.internal.session.RunWarnings;
import io.hirundo.trainer.internal.steer.RunSteering;
import io.hirundo.trainer.internal.swap.StrategySwap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;

/** Runs a training from its first to its last step in a run directory: events, validation, checkpoints and the final model. */
public final class TrainingLoop {
    /**
     * How a run ended.
     *
     * @param step number of completed steps
     * @param interrupted whether a user stopped the run
     * @param hadEnded whether the run was already complete; then nothing is written
     */
    public record Ending(long step, boolean interrupted, boolean hadEnded) {}

    private final RunStrategies strategies;
    private final RunDirectory directory;
    private final EventBus events;
    private final RunSteering steering;
    private final Interruption interruption;
    private Runnable starting;

    /** {@code steering}: the source of change requests. */
    public TrainingLoop(
            RunStrategies strategies,
            RunDirectory directory,
            EventBus events,
            RunSteering steering,
            Interruption interruption) {
        this.strategies = strategies;
        this.directory = directory;
        this.events = events;
        this.steering = steering;
        this.interruption = interruption;
    }

    private RunConfiguration configuration() {
        return strategies.configuration();
    }

    /**
     * Runs to the end.
     *
     * @param resume from which checkpoint the run continues; empty for a new run
     * @param starting is called before the first step
     * @throws StorageException also if training is complete but metrics or a log could not be written
     */
    public Ending run(Optional<ResumeRequest> resume, Runnable starting) {
        this.starting = starting;
        new RunPreflight(strategies, directory).require(events);
        Ending ending;
        try {
            ending = runOpened(resume);
        } catch (RuntimeException | Error failure) {
            events.missed().log();
            throw failure;
        }
        // Last, so that nothing else is affected.
        events.missed().requireFilesWhole();
        return ending;
    }

    private Ending runOpened(Optional<ResumeRequest> resume) {
        boolean seeks =
                resume.filter(request -> request.with() == StartWith.DATA).isPresent();
        try (LocalRun run = LocalRun.open(configuration(), strategies.strategies(), seeks);
                var checkpoints = new RunCheckpoints(run, strategies, directory.checkpoints());
                var copies = checkpoints.copies()) {
            return run.orAbort(() -> {
                List<TrainingEvent> earlierEvents;
                try {
                    earlierEvents = begin(run, resume, checkpoints, copies);
                } catch (CancellationException cancelled) {
                    return new Ending(0, true, false);
                }
                if (resume.filter(request -> request.source().isEmpty()).isPresent() && hasEnded(run)) {
                    return new Ending(run.stepsDone(), false, true);
                }
                // A run that cannot start writes nothing, so the configuration is written only now.
                if (resume.filter(request ->
                                request.source().isEmpty() && request.at().isPresent())
                        .isPresent()) {
                    earlierEvents = new ArrayList<>(earlierEvents);
                    earlierEvents.addAll(
                            checkpoints.leaveLater(List.of(directory.path().resolve("metrics.jsonl"))));
                }
                if (!checkpoints.startedFrom().isEmpty()) {
                    directory.writeStart(checkpoints.startedFrom());
                }
                directory.writeConfiguration(ConfigurationBinder.json(run.recorded(configuration())));
                return runLogged(run, checkpoints, earlierEvents);
            });
        }
    }

    private List<TrainingEvent> begin(
            LocalRun run, Optional<ResumeRequest> resume, RunCheckpoints checkpoints, RemoteCopies copies) {
        if (resume.isEmpty()) {
            return copies.begin();
        }
        ResumeRequest request = resume.get();
        if (request.source().isEmpty()) {
            return checkpoints.restore(request, interruption::isRequested);
        }
        copies.begin();
        Path source = request.source().get();
        // Opening a run's checkpoints removes unfinished ones, so no other process may be writing any.
        try (var held =
                directory.leads() ? RunDirectory.ofEnded(source.toAbsolutePath().normalize(), source) : null) {
            return checkpoints.startFrom(request, interruption::isRequested);
        }
    }

    /** Whether no step is left to do. All processes get the same result. */
    private boolean hasEnded(LocalRun run) {
        long steps = configuration().training().steps();
        if (run.stepsDone() != steps) {
            return run.stepsDone() > steps;
        }
        boolean ended = directory.leads() && directory.endedAt().equals(OptionalLong.of(steps));
        return run.exchange(Boolean.toString(ended)).getFirst().equals(Boolean.toString(true));
    }

    /** {@code earlierEvents}: events from before the listeners were ready. */
    private Ending runLogged(LocalRun run, RunCheckpoints checkpoints, List<TrainingEvent> earlierEvents) {
        // One process reports for all. Each rank writes its own log.
        EventBus all = directory.leads() ? events : events.silenced();
        List<RunLog> logs = openLogs(run);
        for (RunLog log : logs) {
            all = all.with(log);
        }
        if (directory.leads() && !configuration().fingerprints().steps().isEmpty()) {
            all = all.with(new FingerprintFile(directory.fingerprints()));
        }
        try (var _ = new LogCapture(logs.getFirst(), events.missed())) {
            return runReported(run, checkpoints, earlierEvents, all);
        }
    }

    private Ending runReported(
            LocalRun run, RunCheckpoints checkpoints, List<TrainingEvent> earlierEvents, EventBus all) {
        List<String> gemmSummary = new RunDescription(run).gemmSummary();
        try {
            all.on(new RunDescription(run).started(directory));
            if (!gemmSummary.isEmpty()) {
                all.on(new TrainingEvent.ProductsListed(gemmSummary));
            }
            earlierEvents.forEach(all::on);
            if (run.stepsDone() == 0) {
                new StoredModel(run, directory).requireLoaded(all);
            }
            return steps(run, checkpoints, all);
        } catch (RuntimeException | Error failure) {
            RunEnd.endSaves(run, checkpoints, all, failure);
            all.on(new TrainingEvent.RunFailed(run.stepsDone(), failure));
            throw failure;
        }
    }

    private List<RunLog> openLogs(LocalRun run) {
        var logs = new ArrayList<RunLog>();
        var places = run.onEachRank(part -> part.model().describePlace());
        for (int index = 0; index < places.size(); index++) {
            int rank = run.ranks().numbers().get(index);
            var log = new RunLog(directory.log(rank), rank);
            log.strategies(configuration(), run.data().get().samples().describe(), places.get(index));
            log.kernels(run.strategies().compute().kernels().opened());
            logs.add(log);
        }
        return logs;
    }

    private Ending steps(LocalRun run, RunCheckpoints checkpoints, EventBus all) {
        var warnings = new RunWarnings(run, directory.leads());
        var swap = new StrategySwap(run, strategies, checkpoints, directory, all, warnings, steering.changeClock());
        swap.requireAgreement();
        warnings.logNew();
        var saves = new RunSaves(run, checkpoints, all);
        var end = new RunEnd(run, strategies, directory, saves, all, interruption);
        var stepEvents = new StepEvents(run, all);
        starting.run();
        run.resetClock();
        try (var boundary = new StepBoundary(run, strategies, swap, saves, steering, all, interruption)) {
            do {
                while (run.stepsDone() < configuration().training().steps() && !mustStop(run, boundary)) {
                    doStep(run, boundary, saves, all, stepEvents);
                }
                // An audit finding may roll back the last steps, which are then run again.
            } while (boundary.lookAtAudit(true) && !mustStop(run, boundary));
            return end.finish();
        } catch (UnavailableException missing) {
            end.saveWhatIsPossible(missing);
            throw missing;
        } catch (DivergedException diverged) {
            var explained = new DivergedException(
                    diverged.getMessage() + "; " + checkpoints.diverged(run.stepsDone(), diverged.getMessage()));
            explained.addSuppressed(diverged);
            throw explained;
        }
    }

    /** All processes stop after the same step. A single process decides alone. */
    private boolean mustStop(LocalRun run, StepBoundary boundary) {
        return boundary.isStopRequested()
                || run.lastStep().signals().stop()
                || (run.ranks().areAll() && interruption.isRequested());
    }

    private void doStep(LocalRun run, StepBoundary boundary, RunSaves saves, EventBus all, StepEvents stepEvents) {
        StepMetrics metrics = run.step(boundary::signals);
        stepEvents.stepDone(metrics);
        long step = run.stepsDone();
        StepSignals signals = run.lastStep().signals();
        boolean last = step == configuration().training().steps();
        long evaluationSteps = configuration().evaluation().everySteps();
        if (!last && Intervals.isDue(step, evaluationSteps)) {
            run.endStep();
            RunEnd.evaluate(run, all, interruption);
            // The validation prepared the new weights, which may need collectives that the next step then skips.
            if (evaluationSteps > 1) {
                stepEvents.nextIsOutlier();
            }
        }
        if (!last && Intervals.isDue(step, configuration().samples().everySteps())) {
            run.endStep();
            new TextSamples(run).write(interruption::isRequested).forEach(all::on);
        }
        boolean isSavedAtEnd = last && configuration().checkpoint().atEnd();
        if (!isSavedAtEnd
                && (signals.save()
                        || Intervals.isDue(step, configuration().checkpoint().everySteps()))) {
            run.endStep();
            if (boundary.lookAtAudit(false)) {
                return;
            }
            // The pause has already saved this step.
            if (!boundary.isPaused()) {
                saves.begin();
            }
        }
        saves.publishEnded();
        boundary.stepDone(metrics);
        if (!last && (signals.request() || boundary.isPaused())) {
            run.endStep();
            boundary.visit();
        }
        if (run.ranParityCheck()) {
            stepEvents.nextIsOutlier();
        }
    }
}
