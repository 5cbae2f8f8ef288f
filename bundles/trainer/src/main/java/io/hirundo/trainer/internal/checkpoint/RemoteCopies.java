package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.CheckpointSection.OnDamage;
import io.hirundo.trainer.internal.copy.BackgroundFetch;
import io.hirundo.trainer.internal.copy.CopyFetch;
import io.hirundo.trainer.internal.copy.CopyWorker;
import io.hirundo.trainer.internal.copy.FetchResult;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Copies of a run's checkpoints in its store. Only the leading process has copies. In other processes, and without a store, the methods do
 * nothing.
 */
public final class RemoteCopies implements AutoCloseable {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(10);

    /** What processes exchange while they wait. */
    private static final String ENDED = "ended";

    private static final String STOP = "stop";

    private final LocalRun run;
    private final Path checkpoints;
    private Optional<StoreSession> prepared = Optional.empty();
    private Optional<StoreSession> session = Optional.empty();
    private Optional<CopyWorker> worker = Optional.empty();
    private Optional<CheckpointInfo> missing = Optional.empty();
    /** Events of closed workers that were not reported yet. */
    private final List<TrainingEvent> unreported = new ArrayList<>();

    /** {@code checkpoints}: the checkpoint folder of the run, below the run's folder. */
    RemoteCopies(LocalRun run, Path checkpoints) {
        this.run = run;
        this.checkpoints = checkpoints;
    }

    private boolean leads() {
        return run.ranks().numbers().contains(0);
    }

    /**
     * Opens a store while the current one stays in use, and lists its copies to test the connection.
     *
     * @return the store's copies of this run
     */
    public List<StoredCheckpoint> prepare(Optional<CheckpointStore> store, String name) {
        discard();
        prepared = store.filter(given -> leads()).map(given -> given.open(name));
        return prepared.map(StoreSession::list).orElse(List.of());
    }

    /** Switches to the prepared store. A checkpoint that could not be copied before is copied there. */
    public void take(RunConfiguration configuration) {
        closeInUse();
        session = prepared;
        prepared = Optional.empty();
        worker = session.map(open -> new CopyWorker(
                open,
                configuration.checkpoint().keepCopies(),
                checkpoints.resolveSibling("copying"),
                CopyWorker.PAUSES));
        Optional<CheckpointInfo> before = missing;
        missing = Optional.empty();
        before.ifPresent(this::offer);
    }

    /** Closes a prepared store that is not used. */
    public void discard() {
        prepared.ifPresent(StoreSession::close);
        prepared = Optional.empty();
    }

    /**
     * Opens the store of a new run. Returns no events. Fails if the store has copies of another run of the same name, because they would be
     * mistaken for this run's.
     */
    public List<TrainingEvent> begin() {
        List<StoredCheckpoint> copies = prepareOwn();
        if (!copies.isEmpty()) {
            String place = prepared.orElseThrow().place();
            discard();
            throw new ConfigurationException(
                    "run.name: " + place + " holds copies of a run of this name, the newest of step "
                            + copies.getFirst().step() + "; continue it with --resume, or give another run.name");
        }
        take(run.configuration());
        return List.of();
    }

    /**
     * Opens the store of a resumed run, and fetches its newest copy if it is newer than the local checkpoints. All processes must call this.
     *
     * @param at the step to fetch, if it is not here; empty for the newest
     * @param stop whether the user cancels the fetch
     * @throws CancellationException if the user cancels it
     */
    FetchResult resume(List<FoundCheckpoint> local, OptionalLong at, BooleanSupplier stop) {
        if (!isConfigured()) {
            return FetchResult.NOTHING;
        }
        prepareOwn();
        FetchResult fetched = fetch(
                prepared.map(
                        store -> new CopyFetch(store, checkpoints.getParent(), checkpoints, CopyFetch.Words.RESUME)),
                local,
                at,
                stop);
        take(run.configuration());
        return fetched;
    }

    /**
     * Fetches as {@link #resume} does. All processes must call this.
     *
     * @param from empty where nothing is fetched, as in processes that do not lead
     */
    FetchResult fetch(Optional<CopyFetch> from, List<FoundCheckpoint> local, OptionalLong at, BooleanSupplier stop) {
        boolean passesOver = run.configuration().checkpoint().onDamage() == OnDamage.PREVIOUS;
        try (var fetching = new BackgroundFetch(
                () -> from.map(copies -> copies.fetch(local, at, passesOver)).orElse(FetchResult.NOTHING))) {
            if (!waitTogether(() -> fetching.hasEnded(POLL), stop)) {
                fetching.cancel();
                from.ifPresent(copies -> copies.warnOfInterruption(fetching.stateAfterCancel()));
                throw new CancellationException("fetching was interrupted");
            }
            return fetching.result();
        }
    }

    private List<StoredCheckpoint> prepareOwn() {
        return prepare(
                run.strategies().outcome().store(), run.configuration().run().name());
    }

    /** Copies the checkpoint from which a run resumes, if the store does not have it. */
    void offerIfMissing(CheckpointInfo checkpoint) {
        String name = checkpoint.path().getFileName().toString();
        boolean isThere = session.stream()
                .flatMap(open -> open.list().stream())
                .anyMatch(copy -> copy.name().equals(name));
        if (!isThere) {
            offer(checkpoint);
        }
    }

    /** Deletes the copies of later steps, from which no resume may continue any more. */
    void forgetLater(long step) {
        session.ifPresent(
                open -> open.list().stream().filter(copy -> copy.step() > step).forEach(open::delete));
    }

    /** Queues a complete checkpoint for copying. An in-memory checkpoint has no files to copy. */
    void offer(CheckpointInfo checkpoint) {
        if (checkpoint.isInMemory()) {
            return;
        }
        if (worker.isPresent()) {
            worker.get().offer(checkpoint);
        } else if (isConfigured() && leads()) {
            // The store is missing, so its replacement gets the checkpoint.
            missing = Optional.of(checkpoint);
        }
    }

    /** Reports the events since the last call, including canceled copies. */
    public void tell(TrainingListener events) {
        unreported.forEach(events::on);
        unreported.clear();
        worker.ifPresent(copies -> copies.events().forEach(events::on));
    }

    /**
     * Waits until the newest checkpoint is copied. A new stop request cancels the copy, and the next resume completes it. An earlier stop
     * request, the one that ended training, does not cancel it: a preempted node may never come back, and its copies are all that remains.
     * All processes must call this.
     *
     * @param stop whether the user asks the run to end
     * @return whether the copy was canceled
     * @throws CheckpointException if the copy failed
     */
    boolean finish(TrainingListener events, BooleanSupplier stop) {
        if (!isConfigured()) {
            // The store may have been removed in the last steps; its events are still unreported.
            tell(events);
            return false;
        }
        boolean wasRequested = stop.getAsBoolean();
        long[] lastReport = {System.nanoTime()};
        boolean ended = waitTogether(
                () -> {
                    boolean idle = worker.map(copies -> copies.awaitIdle(POLL)).orElse(true);
                    tell(events);
                    if (!idle && System.nanoTime() - lastReport[0] > PROGRESS_INTERVAL.toNanos()) {
                        lastReport[0] = System.nanoTime();
                        worker.flatMap(CopyWorker::progress).ifPresent(events::on);
                    }
                    return idle;
                },
                () -> !wasRequested && stop.getAsBoolean());
        if (!ended) {
            close();
            tell(events);
            return true;
        }
        String problem = (worker.isPresent() ? worker.get().missing() : missing)
                .map(checkpoint -> checkpoint.path() + " is saved, but not copied to "
                        + session.map(StoreSession::place).orElse("its store"))
                .orElse("");
        problem = run.ranks().areAll() ? problem : run.exchange(problem).getFirst();
        if (!problem.isEmpty()) {
            throw new CheckpointException(
                    problem + "; continue with --resume when the store can be reached: that copies it");
        }
        return false;
    }

    private boolean isConfigured() {
        return run.configuration().checkpoint().store() != null;
    }

    /**
     * Waits until {@code ended} is true in the leading process. Ranks in other processes exchange flags, so they notice a lost process as in
     * a step.
     *
     * @param stop whether the user of any process cancels the wait
     * @return whether {@code ended} became true; false if the wait was canceled
     */
    private boolean waitTogether(BooleanSupplier ended, BooleanSupplier stop) {
        while (true) {
            String own = leads() && ended.getAsBoolean() ? ENDED : stop.getAsBoolean() ? STOP : "";
            List<String> said = run.ranks().areAll() ? List.of(own) : run.exchange(own);
            if (said.getFirst().equals(ENDED)) {
                return true;
            }
            if (said.contains(STOP)) {
                return false;
            }
        }
    }

    /**
     * Cancels the current copy and closes a prepared store. The copy is resumed when a store is open again. Its events are still to be
     * reported.
     */
    @Override
    public void close() {
        discard();
        closeInUse();
    }

    private void closeInUse() {
        worker.ifPresent(copies -> {
            copies.close();
            missing = copies.missing();
            unreported.addAll(copies.events());
        });
        worker = Optional.empty();
        session = Optional.empty();
    }
}
