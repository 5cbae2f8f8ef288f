package io.hirundo.checkpointdcp.internal.save;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestCheck;
import io.hirundo.checkpointdcp.internal.format.ManifestMerge;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.checkpointdcp.internal.store.Retention;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rank 0's commit of a save, after all ranks have written: it merges their manifests into one, and renames the folder. */
public final class Committer {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

    private final CheckpointStore store;
    private final FileOperations files;
    private final ManifestText manifests;
    private final Retention retention;
    private final boolean isInMemory;

    /**
     * A committer for one tier.
     *
     * @param isInMemory whether checkpoints of later steps are deleted, because the newest save is always the one to resume from, and
     *     {@link CheckpointStore#LATEST} does not name the checkpoint
     */
    public Committer(
            CheckpointStore store,
            FileOperations files,
            ManifestText manifests,
            Retention retention,
            boolean isInMemory) {
        this.store = store;
        this.files = files;
        this.manifests = manifests;
        this.retention = retention;
        this.isInMemory = isInMemory;
    }

    SavedCheckpoint commit(Path folder, int ranks) throws IOException {
        Manifest manifest = ManifestMerge.of(readParts(folder, ranks));
        ManifestCheck.check(manifest, "the training state of step " + manifest.step());
        try (FileOperations.Output output = files.createFile(folder.resolve(Manifest.FILE))) {
            output.write(ByteBuffer.wrap(manifests.write(manifest)), 0);
            output.sync();
        }
        for (int rank = 0; rank < ranks; rank++) {
            files.delete(RankWriter.partFile(folder, rank));
        }
        SavedCheckpoint saved = store.saves().commit(folder, manifest.step());
        deleteOlderThan(saved);
        return saved;
    }

    private List<Manifest> readParts(Path folder, int ranks) throws IOException {
        var parts = new ArrayList<Manifest>();
        for (int rank = 0; rank < ranks; rank++) {
            Path file = RankWriter.partFile(folder, rank);
            try {
                parts.add(manifests.read(file));
                requireSameSave(parts.getFirst(), parts.getLast(), rank);
            } catch (NoSuchFileException e) {
                throw new CheckpointException("rank " + rank + " could not write its share; its log says why", e);
            }
        }
        return parts;
    }

    private static void requireSameSave(Manifest first, Manifest part, int rank) {
        boolean isSame = part.header().id().equals(first.header().id())
                && part.step() == first.step()
                && part.chunkBytes() == first.chunkBytes();
        if (!isSame) {
            throw new CheckpointException(
                    "rank " + rank + " saves step " + part.step() + " in chunks of " + part.chunkBytes()
                            + " bytes, but rank 0 step " + first.step() + " in chunks of " + first.chunkBytes());
        }
    }

    /** The checkpoint is already durable, so a failure here is logged, and the next save tries again. */
    private void deleteOlderThan(SavedCheckpoint saved) {
        try {
            if (isInMemory) {
                store.discardBehind(saved);
                // These delete manifests alone; each rank deletes the data (MemoryTier.deleteOlderThan).
                store.discardDamaged(saved.name());
            } else {
                store.pointTo(saved);
            }
            store.prune(saved, retention);
        } catch (IOException e) {
            LOG.warn("{} is saved, but older checkpoints could not be tidied up: {}", saved.folder(), Reason.of(e));
        }
    }
}
