package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.run.config.ConfigurationBinder;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.checkpoint.restore.RunRestore;
import io.hirundo.trainer.internal.checkpoint.value.Marks;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.SavedCursor;
import io.hirundo.trainer.internal.checkpoint.value.SavedSpan;
import io.hirundo.trainer.internal.checkpoint.value.SavedValues;
import io.hirundo.trainer.internal.copy.FetchResult;
import io.hirundo.trainer.internal.data.DataOrder;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** The checkpoints of a run: saves the state of the run and restores it. A run without a checkpoint strategy has none. */
public final class RunCheckpoints implements AutoCloseable {
    private final LocalRun run;
    private final RunStrategies strategies;
    private final Path directory;
    private final Map<RankRun, CheckpointSession> sessions = new ConcurrentHashMap<>();
    /** In order of their start; rank threads read this too. */
    private final List<RunSave> saves = new CopyOnWriteArrayList<>();

    private final RemoteCopies copies;
    /** Empty for a run that did not start from another one in this process. */
    private String startedFrom = "";

    /** {@code strategies}: the strategies that the run uses. */
    public RunCheckpoints(LocalRun run, RunStrategies strategies, Path directory) {
        this.run = run;
        this.strategies = strategies;
        this.directory = directory;
        this.copies = new RemoteCopies(run, directory);
        open(run.strategies().outcome().checkpoint());
    }

    /** Opens the sessions of a strategy on all ranks. */
    public void open(Optional<CheckpointStrategy> strategy) {
        strategy.ifPresent(chosen -> run.attemptOnEachRank(part -> {
            Rank rank = part.model().rank();
            var context = new CheckpointContext(directory, rank.world(), rank.device(), rank.queue());
            return sessions.put(part, chosen.open(context));
        }));
    }

    /**
     * Starts a save and adds it to {@link #saves}. Empty if the run keeps no checkpoints.
     *
     * @param durably whether the checkpoint must go to storage instead of memory
     */
    public Optional<RunSave> save(boolean durably) {
        if (sessions.isEmpty()) {
            if (run.configuration().checkpoint().strategy() != null) {
                throw new CheckpointException("checkpoint.strategy: "
                        + run.configuration().checkpoint().strategy().name()
                        + " is no longer available, so step " + run.stepsDone()
                        + " cannot be saved; bring its bundle back, or continue from an earlier checkpoint");
            }
            return Optional.empty();
        }
        long begin = System.nanoTime();
        long step = run.stepsDone();
        Map<String, Object> values = new HashMap<>(values(step));
        values.putAll(marks(step));
        List<PendingSave> parts = run.onEachRank(part -> {
            var state = new TrainingState(step, part.state().shards(), values);
            return durably
                    ? sessions.get(part).saveDurably(state)
                    : sessions.get(part).save(state);
        });
        var save = new RunSave(begin, parts);
        saves.add(save);
        return Optional.of(save);
    }

    private Map<String, Object> values(long step) {
        var configuration = run.configuration();
        return Map.ofEntries(
                Map.entry(
                        SavedValues.CONSUMED_SAMPLES,
                        step * configuration.training().globalBatch()),
                Map.entry(SavedValues.GLOBAL_BATCH, configuration.training().globalBatch()),
                Map.entry(SavedValues.SEED, configuration.seed()),
                Map.entry(SavedValues.OPTIMIZER_BEGAN, run.optimizerBegan()),
                Map.entry(SavedValues.SCHEDULE, SavedSpan.values(run.rates().span())),
                Map.entry(
                        SavedValues.PARAMETER_TYPE,
                        SavedValues.parameterType(run).name()),
                Map.entry(SavedValues.DATA_BEGIN, SavedCursor.values(run.data().begin())),
                Map.entry(DataOrder.NAME, run.data().order()),
                // The rest is for readers of the checkpoint; a resumed run uses its own values.
                Map.entry("layout", layout()),
                Map.entry("strategies", strategiesInUse()),
                Map.entry("configuration", ConfigurationBinder.values(run.recorded(configuration))));
    }

    private Map<String, Object> marks(long step) {
        if (!run.hasFiniteWeights()) {
            return Map.of(SavedValues.RUINED, "a weight is NaN or infinite after step " + step);
        }
        return run.gradientNorm() == 0 && run.device().computes()
                ? Map.of(SavedValues.VANISHED, "the gradient norm of step " + step + " is 0")
                : Map.of();
    }

    /** Number of ranks along each axis, fastest-varying axis first. */
    private Map<String, Object> layout() {
        var sizes = new LinkedHashMap<String, Object>();
        run.ranks().mesh().sizes().forEach((axis, size) -> sizes.put(axis.name().toLowerCase(Locale.ROOT), size));
        return sizes;
    }

    /** Strategies by configuration path: name, bundle and version. */
    private Map<String, Object> strategiesInUse() {
        var inUse = new LinkedHashMap<String, Object>();
        strategies
                .inUse()
                .forEach(strategy -> inUse.put(strategy.path(), strategy.name() + " of " + strategy.bundle()));
        return inUse;
    }

    /** The checkpoints in the folder, if this process leads; otherwise empty. */
    private List<FoundCheckpoint> found() {
        return run.attemptOnEachRank(part -> part.model().rank().world().rank() == 0
                        ? sessions.get(part).found()
                        : List.<FoundCheckpoint>of())
                .getFirst();
    }

    /** Saves whose outcome was not read yet. */
    List<RunSave> saves() {
        return List.copyOf(saves);
    }

    /** Removes a save whose outcome is known. */
    void forget(RunSave save) {
        saves.remove(save);
    }

    /** Whether one of {@link #saves} has failed. */
    boolean haveFailed() {
        return saves.stream().anyMatch(RunSave::hasFailed);
    }

    /** The copies in the run's store. The creator of this object closes them. */
    public RemoteCopies copies() {
        return copies;
    }

    /**
     * Restores the newest checkpoint; see {@link #restore(ResumeRequest, BooleanSupplier)}.
     *
     * @param stop whether the user cancels the fetch
     */
    public List<TrainingEvent> restore(BooleanSupplier stop) {
        return restore(ResumeRequest.newest(directory.resolveSibling(RunFolder.CONFIGURATION)), stop);
    }

    /**
     * As {@link RunRestore#restore}, after fetching a newer checkpoint from the run's store. Returns the events of both.
     *
     * @param stop whether the user cancels the fetch, which throws {@link java.util.concurrent.CancellationException}
     */
    public List<TrainingEvent> restore(ResumeRequest request, BooleanSupplier stop) {
        if (sessions.isEmpty()) {
            throw new ConfigurationException("checkpoint.strategy: null keeps no checkpoints, so --resume finds none");
        }
        FetchResult fetched = copies.resume(found(), request.at(), stop);
        fetched.copy().ifPresent(_ -> tellOfMovedCheckpoints());
        List<TrainingEvent> restored = new RunRestore(run, directory, sessions::get, Optional.of(request)).restore();
        // The step is known only now, because the run may resume from an in-memory checkpoint.
        var news = new ArrayList<>(fetched.events(run.stepsDone()));
        news.addAll(restored);
        found().stream()
                .filter(FoundCheckpoint::isWhole)
                .map(FoundCheckpoint::checkpoint)
                .filter(checkpoint -> checkpoint.step() == run.stepsDone() && !checkpoint.isInMemory())
                .findFirst()
                // Copying it again makes the store forget later copies, which the run leaves.
                .ifPresent(request.at().isPresent() ? copies::offer : copies::offerIfMissing);
        return news;
    }

    /**
     * Takes the state of another run's checkpoint. Returns the events, the first of which names it.
     *
     * @param request names the other run, whose lock the leading process holds
     * @param stop whether the user cancels a fetch, which throws {@link java.util.concurrent.CancellationException}
     */
    public List<TrainingEvent> startFrom(ResumeRequest request, BooleanSupplier stop) {
        var start = new ForeignStart(run, strategies, copies, request);
        List<TrainingEvent> events = start.take(stop);
        startedFrom = start.described();
        return events;
    }

    /** Where the run started, as JSON; empty if not from another run. */
    public String startedFrom() {
        return startedFrom;
    }

    /**
     * Moves the checkpoints of later steps out of the way of a run that resumed from an earlier one on request. Collective.
     *
     * @param metrics files that later steps have left in the run's folder, and that the run shortens
     */
    public List<TrainingEvent> leaveLater(List<Path> metrics) {
        long step = run.stepsDone();
        List<FoundCheckpoint> all = found();
        boolean isOnStorage = all.stream()
                .anyMatch(found -> found.checkpoint().step() == step
                        && found.isWhole()
                        && !found.checkpoint().isInMemory());
        if (!isOnStorage) {
            // No copy of it makes the store forget later ones.
            run.orAbort(() -> {
                copies.forgetLater(step);
                return null;
            });
        }
        List<FoundCheckpoint> later =
                all.stream().filter(found -> found.checkpoint().step() > step).toList();
        String moved = run.orAbort(() ->
                run.ranks().numbers().contains(0) ? new LeftCheckpoints(directory).move(step, later, metrics) : "");
        if (!moved.isEmpty()) {
            tellOfMovedCheckpoints();
        }
        moved = run.ranks().areAll() ? moved : run.exchange(moved).getFirst();
        return moved.isEmpty() ? List.of() : List.of(new TrainingEvent.ProductsListed(List.of(moved)));
    }

    private void tellOfMovedCheckpoints() {
        sessions.forEach((part, session) -> {
            if (part.model().rank().world().rank() == 0) {
                session.checkpointsMoved();
            }
        });
    }

    /**
     * Marks the checkpoint that the diverged step began with, and says from where to continue. Collective.
     *
     * @param step that diverged
     * @param what diverged
     */
    public String diverged(long step, String what) {
        saves.forEach(RunSave::end);
        List<FoundCheckpoint> all = found();
        String advice = run.ranks().numbers().contains(0)
                ? new DivergedCheckpoints(directory, this::mark).mark(all, step, what)
                : "";
        return run.ranks().areAll() ? advice : run.exchange(advice).getFirst();
    }

    private Optional<String> mark(CheckpointInfo checkpoint) {
        return Marks.any(checkpoint, sessions.values().iterator().next().values(checkpoint));
    }

    /**
     * Returns the current run to its newest checkpoint, with the events of {@link RunRestore#restore}. The run saved this checkpoint, so it is
     * in the run directory and the store is not needed.
     *
     * @throws CheckpointException if there is none
     */
    List<TrainingEvent> rollBack() {
        if (sessions.isEmpty()) {
            throw new CheckpointException(
                    "checkpoint.strategy: null keeps no checkpoints, so the run cannot roll back; set checkpoint.strategy");
        }
        return new RunRestore(run, directory, sessions::get, Optional.empty()).restore();
    }

    /** Waits for saves in progress and keeps their outcomes. {@link #open} may follow. */
    @Override
    public void close() {
        run.forEachRank(part -> {
            CheckpointSession session = sessions.remove(part);
            if (session != null) {
                session.close();
            }
        });
        saves.forEach(RunSave::end);
    }
}
