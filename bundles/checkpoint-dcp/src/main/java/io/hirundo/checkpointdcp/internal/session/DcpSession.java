package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.checkpointdcp.internal.load.StateLoader;
import io.hirundo.checkpointdcp.internal.memory.MemoryGathering;
import io.hirundo.checkpointdcp.internal.memory.MemoryOptions;
import io.hirundo.checkpointdcp.internal.memory.MemoryTier;
import io.hirundo.checkpointdcp.internal.memory.NodeMemory;
import io.hirundo.checkpointdcp.internal.save.Committer;
import io.hirundo.checkpointdcp.internal.save.RankWriter;
import io.hirundo.checkpointdcp.internal.save.StorageTier;
import io.hirundo.checkpointdcp.internal.save.Tier;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.Retention;
import io.hirundo.checkpointdcp.internal.strategy.AsyncSaveStrategy;
import io.hirundo.checkpointdcp.internal.strategy.SaveStrategy;
import io.hirundo.checkpointdcp.internal.strategy.SaveTimeout;
import io.hirundo.checkpointdcp.internal.strategy.Staging;
import io.hirundo.checkpointdcp.internal.strategy.StagingPool;
import io.hirundo.checkpointdcp.internal.strategy.SyncSave;
import io.hirundo.checkpointdcp.internal.strategy.TieredSaveStrategy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run's checkpoints in this bundle's format. */
public final class DcpSession implements CheckpointSession {
    private static final Logger LOG = LoggerFactory.getLogger(DcpSession.class);

    private final CheckpointContext context;
    private final FileOperations files;
    private final CheckpointStore store;
    private final CheckpointStore inMemory;
    private final SaveStrategy saving;

    private DcpSession(Parts parts, SaveStrategy saving) {
        this.context = parts.context();
        this.files = parts.files();
        this.store = parts.store();
        this.inMemory = parts.inMemory();
        this.saving = saving;
    }

    /** Checkpoints that are on disk, or have failed, when {@link #save} returns. */
    public static DcpSession sync(
            CheckpointContext context, SyncOptions options, String createdBy, FileOperations files) {
        var parts = new Parts(context, createdBy, files);
        var saving = new SyncSave(
                context.world(),
                parts.store(),
                new Staging(context.device(), context.queue()),
                parts.writer(),
                parts.storage(options.retention()).committer(),
                options.chunkBytes());
        return parts.open(saving);
    }

    /** Checkpoints that are written while training continues. */
    public static DcpSession async(
            CheckpointContext context, AsyncOptions options, String createdBy, FileOperations files) {
        var parts = new Parts(context, createdBy, files);
        return parts.open(parts.async(options, parts.storage(options.retention())));
    }

    /** Most of them in memory. */
    public static DcpSession tiered(
            CheckpointContext context, TieredOptions options, String createdBy, FileOperations files) {
        var parts = new Parts(context, createdBy, files);
        MemoryTier memory = parts.memory(options.memory());
        Tier storage = parts.storage(options.durable().retention());
        var saving = new TieredSaveStrategy(
                parts.async(options.durable(), storage), storage, memory, options.durableEvery());
        DcpSession session = parts.open(saving);
        memory.open();
        return session;
    }

    /** What the strategies are made of. */
    private record Parts(
            CheckpointContext context,
            CheckpointStore store,
            CheckpointStore inMemory,
            ManifestText manifests,
            String createdBy,
            FileOperations files) {
        Parts(CheckpointContext context, String createdBy, FileOperations files) {
            var manifests = new ManifestText();
            var store = new CheckpointStore(context.directory(), files, manifests);
            this(
                    context,
                    store,
                    CheckpointStore.inMemory(store.directory(), files, manifests),
                    manifests,
                    createdBy,
                    files);
        }

        RankWriter writer() {
            return new RankWriter(context.world().rank(), files, manifests, createdBy);
        }

        Tier storage(Retention retention) {
            return new StorageTier(
                    context.world().rank(), store, new Committer(store, files, manifests, retention, false));
        }

        MemoryTier memory(MemoryOptions options) {
            var committer = new Committer(inMemory, files, manifests, options.retention(), true);
            var memory = new NodeMemory(Path.of(options.directory()), store.directory(), files);
            return new MemoryTier(context, options, inMemory, committer, memory);
        }

        AsyncSaveStrategy async(AsyncOptions options, Tier storage) {
            var pool = new StagingPool(options.stagingBytes(), options.chunkBytes());
            return new AsyncSaveStrategy(
                    context, storage, pool, writer(), files, new SaveTimeout(options.timeoutSeconds()));
        }

        /** Removes what an interrupted run left, which is nothing that {@link #list} would show. */
        DcpSession open(SaveStrategy saving) {
            if (context.world().rank() == 0) {
                try {
                    store.trash().removeLeftovers();
                    inMemory.trash().removeLeftovers();
                } catch (IOException e) {
                    LOG.warn("what an interrupted save left could not be removed: {}", Reason.of(e));
                }
            }
            return new DcpSession(this, saving);
        }
    }

    @Override
    public PendingSave save(TrainingState state) {
        return saving.save(state);
    }

    @Override
    public PendingSave saveDurably(TrainingState state) {
        return saving.saveDurably(state);
    }

    @Override
    public List<CheckpointInfo> list() {
        return found().stream()
                .filter(FoundCheckpoint::isWhole)
                .map(FoundCheckpoint::checkpoint)
                .toList();
    }

    @Override
    public List<FoundCheckpoint> found() {
        try {
            var all = new ArrayList<CheckpointFolder>(store.all());
            all.addAll(inMemory.all());
            all.sort(CheckpointFolder.NEWEST_FIRST);
            var described = new ArrayList<FoundCheckpoint>();
            for (CheckpointFolder found : all) {
                described.add(found.describe());
            }
            return List.copyOf(described);
        } catch (IOException e) {
            throw new CheckpointException(store.directory() + " cannot be read: " + Reason.of(e), e);
        }
    }

    @Override
    public Map<String, Object> values(CheckpointInfo checkpoint) {
        return store.open(checkpoint.path()).manifest().values();
    }

    @Override
    public Optional<Set<String>> keys(CheckpointInfo checkpoint) {
        return Optional.of(store.open(checkpoint.path()).manifest().tensors().stream()
                .map(SavedTensor::key)
                .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public void load(CheckpointInfo checkpoint, List<StateShard> into) {
        SavedCheckpoint saved = store.open(checkpoint.path());
        if (!saved.isInMemory()) {
            load(saved, into);
            return;
        }
        try (var gathering = new MemoryGathering(context, files, saved)) {
            load(gathering.gather(into), into);
        }
    }

    private void load(SavedCheckpoint saved, List<StateShard> into) {
        try (var loader = new StateLoader(saved, context.device(), context.queue())) {
            loader.load(into);
        }
    }

    @Override
    public void checkpointsMoved() {
        try {
            store.pointToNewest();
        } catch (IOException e) {
            LOG.warn(
                    "the name of the newest checkpoint in {} could not be written: {}",
                    store.directory(),
                    Reason.of(e));
        }
    }

    @Override
    public void close() {
        saving.close();
    }
}
