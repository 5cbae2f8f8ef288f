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

/** What rank 0 does when all ranks have written: one manifest, one rename. */
public final class Committer {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

    private final CheckpointStore store;
    private final FileOperations files;
    private final ManifestText manifests;
    private final Retention retention;
    private final boolean isInMemory;

    /**
     * For one tier.
     *
     * @param isInMemory whether the run's last save is what counts, and not its highest step, and {@link CheckpointStore#LATEST} is not
     *     to name it
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

    SavedCheckpoint commit(Path begun, int ranks) throws IOException {
        Manifest manifest = ManifestMerge.of(parts(begun, ranks));
        ManifestCheck.check(manifest, "the training state of step " + manifest.step());
        try (FileOperations.Output output = files.createFile(begun.resolve(Manifest.FILE))) {
            output.write(ByteBuffer.wrap(manifests.write(manifest)), 0);
            output.sync();
        }
        for (int rank = 0; rank < ranks; rank++) {
            files.delete(RankWriter.partFile(begun, rank));
        }
        SavedCheckpoint saved = store.saves().commit(begun, manifest.step());
        tidyUp(saved);
        return saved;
    }

    private List<Manifest> parts(Path begun, int ranks) throws IOException {
        var parts = new ArrayList<Manifest>();
        for (int rank = 0; rank < ranks; rank++) {
            Path file = RankWriter.partFile(begun, rank);
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

    /** The checkpoint is safe by now: trouble here is worth a line, not the run. The next save tries again. */
    private void tidyUp(SavedCheckpoint saved) {
        try {
            if (isInMemory) {
                store.discardBehind(saved);
                // Their data go with those of all that are not kept.
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
