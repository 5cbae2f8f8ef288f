package io.hirundo.trainer.internal.checkpoint.restore;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.data.DataCursor;
import io.hirundo.event.CheckpointEvent.CheckpointPassedOver;
import io.hirundo.event.CheckpointEvent.CheckpointTakenInPart;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingEvent.ProductsListed;
import io.hirundo.lib.engine.step.OptimizerStateTransfer;
import io.hirundo.lib.run.rate.SavedSchedule;
import io.hirundo.lib.run.rate.ScheduleContinuation;
import io.hirundo.lib.run.section.CheckpointSection.OnDamage;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.checkpoint.value.Marks;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.SavedCursor;
import io.hirundo.trainer.internal.checkpoint.value.SavedIntegers;
import io.hirundo.trainer.internal.checkpoint.value.SavedSpan;
import io.hirundo.trainer.internal.checkpoint.value.SavedValues;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import io.hirundo.trainer.internal.data.DataOrder;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores a run from its newest good checkpoint. Damage may show only when the last tensor is read, and on one rank only. So all ranks
 * exchange their results and agree on the same checkpoint.
 */
public final class RunRestore {
    /** What a checkpoint holds besides tensors. */
    private record Contents(Map<String, Object> values, DataCursor dataBegin, SavedSchedule schedule) {}

    /** Before what is said of a checkpoint that cannot be continued. */
    private static final String RUINED = "ruined: ";

    private static final Logger LOG = LoggerFactory.getLogger(RunRestore.class);

    private final LocalRun run;
    private final Path directory;
    private final Function<RankRun, CheckpointSession> sessions;
    private final Optional<ResumeRequest> request;
    private final StartWith with;
    private CheckpointInfo taken;

    /**
     * A restore of this run.
     *
     * @param sessions the open session of each rank
     * @param request of the user; empty where the run returns to a checkpoint of its own
     */
    public RunRestore(
            LocalRun run,
            Path directory,
            Function<RankRun, CheckpointSession> sessions,
            Optional<ResumeRequest> request) {
        this.run = run;
        this.directory = directory;
        this.sessions = sessions;
        this.request = request;
        this.with = request.map(ResumeRequest::with).orElse(StartWith.DATA);
    }

    /**
     * Returns the events of the restore: the newer checkpoints that were skipped, newest first, and tensors that were not restored. If
     * {@code checkpoint.onDamage} forbids skipping, only in-memory checkpoints can be skipped.
     *
     * @throws CheckpointException if there is no good checkpoint, or a newer one that must not be skipped
     * @throws ConfigurationException if the newest undamaged checkpoint does not fit the configuration
     */
    public List<TrainingEvent> restore() {
        var damaged = new ArrayList<FoundCheckpoint>();
        List<FoundCheckpoint> all = FoundByRankZero.newestFirst(run, sessions);
        for (FoundCheckpoint found : requested(all)) {
            String problem = found.problem();
            TensorComparison compared = TensorComparison.none(problem);
            if (problem.isEmpty()) {
                compared = TensorComparison.of(run, found.checkpoint(), sessions);
                problem = compared.problem();
            }
            if (problem.isEmpty()) {
                requireSound(found.checkpoint(), all);
                compared = with == StartWith.WEIGHTS ? compared.ofWeights(run) : compared;
                requireAllowed(found.checkpoint(), compared, damaged);
                SortedSet<String> restarting = restartingState(compared);
                var contents = new AtomicReference<Contents>();
                problem = attempt(
                        found.checkpoint(), contents, compared, with == StartWith.WEIGHTS || !restarting.isEmpty());
                if (problem.isEmpty()) {
                    taken = found.checkpoint();
                    List<TrainingEvent> events = resumeFrom(found.checkpoint(), damaged, compared, restarting);
                    reschedule(found.checkpoint(), contents.get().schedule()).ifPresent(events::add);
                    SavedType.of(found.checkpoint(), contents.get().values(), SavedValues.parameterType(run))
                            .conversion()
                            .ifPresent(events::add);
                    return events;
                }
            }
            damaged.add(new FoundCheckpoint(found.checkpoint(), problem));
        }
        throw noGoodCheckpoint(damaged);
    }

    private String option() {
        return request.map(ResumeRequest::option).orElse("--resume");
    }

    /** Those that the user asks for. */
    private List<FoundCheckpoint> requested(List<FoundCheckpoint> all) {
        OptionalLong at = request.map(ResumeRequest::at).orElse(OptionalLong.empty());
        if (at.isEmpty()) {
            return all;
        }
        List<FoundCheckpoint> chosen = all.stream()
                .filter(found -> found.checkpoint().step() == at.getAsLong())
                .toList();
        if (chosen.isEmpty()) {
            String steps = all.stream()
                    .map(found -> String.valueOf(found.checkpoint().step()))
                    .distinct()
                    .collect(Collectors.joining(", "));
            throw new ConfigurationException((request.get().source().isPresent() ? "--start-from" : "--at")
                    + ": there is no checkpoint of step " + at.getAsLong() + " in " + directory + " (allowed: "
                    + (steps.isEmpty() ? "none is there" : steps) + ")");
        }
        return chosen;
    }

    /** Rejects a checkpoint from which training diverges, unless the user asks for it. Warns of one whose last step trained nothing. */
    private void requireSound(CheckpointInfo checkpoint, List<FoundCheckpoint> all) {
        if (request.isEmpty()) {
            return;
        }
        boolean isAsked = request.get().at().isPresent();
        List<String> said = run.onEachRank(part -> part.model().rank().world().rank() == 0
                ? said(sessions.apply(part), checkpoint, isAsked ? List.of() : all)
                : "");
        String text = run.exchange(said.getFirst()).getFirst();
        if (text.startsWith(RUINED) && !isAsked) {
            throw new DivergedException(option() + ": " + text.substring(RUINED.length()));
        } else if (!text.isEmpty() && run.ranks().numbers().contains(0)) {
            LOG.warn("{}: {}", option(), text.startsWith(RUINED) ? text.substring(RUINED.length()) : text);
        }
    }

    private String said(CheckpointSession session, CheckpointInfo checkpoint, List<FoundCheckpoint> all) {
        try {
            Map<String, Object> values = session.values(checkpoint);
            Optional<String> ruin = Marks.ruin(checkpoint, values);
            if (ruin.isEmpty()) {
                return Marks.vanished(checkpoint, values).orElse("");
            }
            String remedy = all.isEmpty()
                    ? ""
                    : "; "
                            + Marks.advice(
                                    all,
                                    checkpoint.step(),
                                    each -> Marks.any(each, session.values(each)),
                                    request.get());
            return RUINED + FoundByRankZero.oneLine(ruin.get() + remedy);
        } catch (CheckpointException damage) {
            // Found and reported when the checkpoint is read.
            LOG.debug("{}", damage.getMessage());
            return "";
        }
    }

    /** The checkpoint that was restored. */
    public CheckpointInfo taken() {
        return taken;
    }

    private void requireAllowed(CheckpointInfo checkpoint, TensorComparison compared, List<FoundCheckpoint> damaged) {
        TensorExceptions.of(run.configuration().checkpoint(), request)
                .require(checkpoint, compared.missing(), compared.unexpected());
        if (!compared.missing().isEmpty() && !damaged.isEmpty()) {
            // Tensors that this checkpoint lacks may hold values of a damaged one that was partly loaded before.
            throw new CheckpointException(
                    option() + ": " + damaged.getFirst().problem() + "; remove that checkpoint, because "
                            + checkpoint.path() + " lacks tensors, which must have their initial values");
        }
    }

    /**
     * Names of missing state that counts steps, on any rank. Such state cannot begin at zero next to moments of many steps, because bias
     * correction would scale updates wrongly. Collective.
     */
    private SortedSet<String> restartingState(TensorComparison compared) {
        var names = new TreeSet<String>();
        if (!compared.missing().isEmpty()) {
            run.onEachRank(part -> part.state()
                            .thatMustNotBeMissing(run.strategies().step().optimizer(), compared.missing()))
                    .forEach(names::addAll);
            run.exchange(String.join("\n", names)).forEach(text -> text.lines().forEach(names::add));
        }
        return names;
    }

    /**
     * Restores the state of all ranks, or returns the problem of any rank. Loading may be collective, so no rank loads before all ranks can
     * read.
     *
     * @param read set to what the checkpoint holds
     * @param restartsOptimizer whether all optimizer state begins at zero
     */
    private String attempt(
            CheckpointInfo checkpoint,
            AtomicReference<Contents> read,
            TensorComparison compared,
            boolean restartsOptimizer) {
        String problem = RankAttempts.problem(run, part -> read.set(read(part, checkpoint)));
        if (!problem.isEmpty()) {
            return problem;
        }
        Map<String, Object> values = read.get().values();
        if (with == StartWith.DATA) {
            // Checked before the tensors are loaded, which may take long, because the data cursor is already known.
            run.seek(checkpoint.step(), read.get().dataBegin());
            DataOrder.require(run.configuration(), run.data().get().samples(), checkpoint, values);
        }
        continuation(checkpoint, read.get().schedule()).ifPresent(ScheduleContinuation::decide);
        DType savedType =
                SavedType.of(checkpoint, values, SavedValues.parameterType(run)).dtype();
        problem = new StateLoad(run, sessions, checkpoint, compared, restartsOptimizer).load(savedType);
        return problem.isEmpty()
                ? RankAttempts.problem(run, part -> countSteps(part, checkpoint, values, restartsOptimizer))
                : problem;
    }

    /** Empty where nothing is to be decided, because no step follows. */
    private Optional<ScheduleContinuation> continuation(CheckpointInfo checkpoint, SavedSchedule saved) {
        var training = run.configuration().training();
        return request.filter(resumed -> resumed.with() == StartWith.DATA && checkpoint.step() < training.steps())
                .map(resumed -> new ScheduleContinuation(
                        run.rates(), training, checkpoint.step(), saved, resumed.schedule(), resumed::commandWith));
    }

    private Optional<TrainingEvent> reschedule(CheckpointInfo checkpoint, SavedSchedule saved) {
        return continuation(checkpoint, saved)
                .flatMap(continuation -> {
                    ScheduleContinuation.Outcome outcome = continuation.decide();
                    run.schedule(outcome.span(), outcome.line().isPresent());
                    return outcome.line();
                })
                .map(line -> new ProductsListed(List.of(line)));
    }

    private void countSteps(
            RankRun part, CheckpointInfo checkpoint, Map<String, Object> values, boolean restartsOptimizer) {
        long before = with == StartWith.DATA ? 0 : checkpoint.step();
        if (restartsOptimizer) {
            part.state().restartOptimizer(checkpoint.step() - before);
        } else {
            // Below 0 where the optimizer has counted steps of another run.
            part.state().optimizerBegan(optimizerBegan(checkpoint, values) - before);
        }
    }

    private Contents read(RankRun part, CheckpointInfo checkpoint) {
        Map<String, Object> values = sessions.apply(part).values(checkpoint);
        if (with == StartWith.DATA) {
            SampleOrder.require(run.configuration(), checkpoint, values);
        }
        return new Contents(
                values,
                SavedCursor.cursor(checkpoint, values.get(SavedValues.DATA_BEGIN)),
                SavedSpan.of(checkpoint, values));
    }

    /** Checkpoints from before optimizers could begin in the middle of a run do not say it. */
    private static long optimizerBegan(CheckpointInfo checkpoint, Map<String, Object> values) {
        String key = SavedValues.OPTIMIZER_BEGAN;
        return values.containsKey(key) ? new SavedIntegers(checkpoint, "values", values).whole(key) : 0;
    }

    private List<TrainingEvent> resumeFrom(
            CheckpointInfo good,
            List<FoundCheckpoint> damaged,
            TensorComparison compared,
            SortedSet<String> restarting) {
        // A lost in-memory checkpoint is not damage: an older checkpoint on storage is the intended fallback.
        Optional<FoundCheckpoint> newest = damaged.stream()
                .filter(found -> !found.checkpoint().isInMemory())
                .findFirst();
        if (newest.isPresent() && run.configuration().checkpoint().onDamage() == OnDamage.FAIL) {
            throw new CheckpointException(option() + ": " + newest.get().problem() + "; the newest good checkpoint is "
                    + good.path() + ": add --set checkpoint.onDamage=previous to continue from it");
        }
        run.forEachRank(part -> {
            part.model().blocks().memory().restored(compared.forgotten());
            part.model().weightsChanged();
        });
        run.resetClock();
        var events = new ArrayList<TrainingEvent>();
        damaged.forEach(found -> events.add(
                new CheckpointPassedOver(good.step(), found.checkpoint().path(), found.problem())));
        if (!compared.missing().isEmpty() || !compared.unexpected().isEmpty()) {
            events.add(new CheckpointTakenInPart(good.step(), good.path(), compared.missing(), compared.unexpected()));
        }
        if (restarting.isEmpty() && !compared.conversions().isEmpty()) {
            events.add(new ProductsListed(
                    List.of(OptimizerStateTransfer.converted(good.path().toString(), compared.conversions()))));
        }
        if (!restarting.isEmpty()) {
            events.add(new ProductsListed(
                    List.of(OptimizerStateTransfer.restarted(good.path().toString(), restarting))));
        }
        if (!compared.forgotten().isEmpty() && with != StartWith.WEIGHTS) {
            events.add(new ProductsListed(List.of("precision: " + good.path() + " has no GEMM state for "
                    + compared.forgotten().size() + " layers, which start as in a new run: "
                    + compared.whyForgotten())));
        }
        return events;
    }

    private CheckpointException noGoodCheckpoint(List<FoundCheckpoint> damaged) {
        String what = damaged.isEmpty()
                ? "there is no checkpoint in " + directory
                : damaged.getFirst().problem() + ", and there is no good checkpoint in " + directory;
        return new CheckpointException(option() + ": " + what
                + "; start a new run under another run.name, or remove the folder of this one first");
    }
}
