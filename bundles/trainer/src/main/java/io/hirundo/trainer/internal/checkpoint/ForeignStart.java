package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.configuration.document.Documents;
import io.hirundo.lib.configuration.document.JsonText;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.strategy.Choice;
import io.hirundo.train.RunFolder;
import io.hirundo.trainer.internal.checkpoint.restore.RunRestore;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.copy.CopyFetch;
import io.hirundo.trainer.internal.copy.FetchResult;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** The start of a new run from a checkpoint of another one: in its directory, in node memory, or in the store that its configuration names. */
final class ForeignStart {
    private final LocalRun run;
    private final RunStrategies strategies;
    private final RemoteCopies copies;
    private final ResumeRequest request;

    /** As the user typed it. */
    private final Path named;

    private final Path folder;
    private final Map<RankRun, CheckpointSession> reading = new ConcurrentHashMap<>();
    private String described = "";

    ForeignStart(LocalRun run, RunStrategies strategies, RemoteCopies copies, ResumeRequest request) {
        this.run = run;
        this.strategies = strategies;
        this.copies = copies;
        this.request = request;
        this.named = request.source().orElseThrow();
        this.folder = named.toAbsolutePath().normalize();
    }

    /** Returns the events, the first of which names the checkpoint. */
    List<TrainingEvent> take(BooleanSupplier stop) {
        CheckpointStrategy strategy = run.strategies()
                .outcome()
                .checkpoint()
                .orElseThrow(
                        () -> new ConfigurationException(
                                "checkpoint.strategy: null reads no checkpoints for --start-from; add --set checkpoint.strategy=sync"));
        Path checkpoints = folder.resolve(RunFolder.CHECKPOINTS);
        try {
            run.attemptOnEachRank(part -> {
                Rank rank = part.model().rank();
                return reading.put(
                        part,
                        strategy.open(new CheckpointContext(checkpoints, rank.world(), rank.device(), rank.queue())));
            });
            FetchResult fetched = fetch(checkpoints, stop);
            var restore = new RunRestore(run, checkpoints, reading::get, Optional.of(request));
            List<TrainingEvent> restored = restore.restore();
            CheckpointInfo taken = restore.taken();
            requireStepsLeft(taken);
            String what = request.with().name().toLowerCase(Locale.ROOT);
            described = JsonText.pretty(Map.of("run", named.toString(), "step", taken.step(), "with", what));
            var events = new ArrayList<TrainingEvent>();
            events.add(new TrainingEvent.ProductsListed(
                    List.of("--start-from: begins with " + what + " of step " + taken.step() + " of " + named)));
            events.addAll(fetched.events(taken.step()));
            events.addAll(restored);
            return events;
        } finally {
            run.attemptOnEachRank(part -> {
                Optional.ofNullable(reading.remove(part)).ifPresent(CheckpointSession::close);
                return null;
            });
        }
    }

    /** Where the run started, as JSON; empty before. */
    String described() {
        return described;
    }

    private void requireStepsLeft(CheckpointInfo taken) {
        long steps = run.configuration().training().steps();
        if (run.stepsDone() >= steps) {
            throw new ConfigurationException("training.steps: " + steps + " are done in " + taken.path()
                    + ", whose steps --start-with data counts; add --set training.steps=N above " + taken.step());
        }
    }

    /** Fetches what a resume of the other run would fetch, into its directory. */
    private FetchResult fetch(Path checkpoints, BooleanSupplier stop) {
        Optional<CheckpointSession> leading = reading.entrySet().stream()
                .filter(entry -> entry.getKey().model().rank().world().rank() == 0)
                .map(Map.Entry::getValue)
                .findFirst();
        List<FoundCheckpoint> local = leading.map(CheckpointSession::found).orElse(List.of());
        boolean isHere = local.stream()
                .anyMatch(found -> found.isWhole()
                        && !found.checkpoint().isInMemory()
                        && request.at().stream()
                                .anyMatch(step -> step == found.checkpoint().step()));
        Optional<StoreSession> store = leading.filter(_ -> !isHere).flatMap(_ -> store());
        try {
            FetchResult fetched = copies.fetch(
                    store.map(open -> new CopyFetch(open, folder, checkpoints, CopyFetch.CommandHints.START)),
                    local,
                    request.at(),
                    stop);
            fetched.copy().ifPresent(_ -> leading.orElseThrow().checkpointsMoved());
            return fetched;
        } finally {
            store.ifPresent(StoreSession::close);
        }
    }

    private Optional<StoreSession> store() {
        Map<String, Object> configuration = Documents.read(folder.resolve(RunFolder.CONFIGURATION));
        if (!(configuration.get("checkpoint") instanceof Map<?, ?> section
                && configuration.get("run") instanceof Map<?, ?> other
                && section.get("store") instanceof Map<?, ?> store
                && store.get("name") instanceof String name)) {
            return Optional.empty();
        }
        @SuppressWarnings("unchecked")
        Map<String, Object> options =
                store.get("options") instanceof Map<?, ?> given ? (Map<String, Object>) given : Map.of();
        return Optional.of(strategies
                .create(CheckpointStore.class, new Choice(name, options), "checkpoint.store of " + named)
                .open(String.valueOf(other.get("name"))));
    }
}
