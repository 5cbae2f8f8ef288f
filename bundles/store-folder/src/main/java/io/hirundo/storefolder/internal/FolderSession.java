package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.files.Folders;
import io.hirundo.lib.files.RealFolders;
import io.hirundo.lib.store.CopyIndex;
import io.hirundo.lib.store.CopyIndex.CopiedFile;
import io.hirundo.lib.store.CopyNames;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies a run's checkpoints to a folder and back; see {@link CopyFolder}. */
final class FolderSession implements StoreSession {
    private static final Logger LOG = LoggerFactory.getLogger(FolderSession.class);

    private final Path root;
    private final CopyFolder folder;

    FolderSession(Path root, String run) {
        this.root = root;
        this.folder = new CopyFolder(root, run);
    }

    @Override
    public String place() {
        return folder.path().toString();
    }

    @Override
    public List<StoredCheckpoint> list() {
        folder.requireRoot();
        // A run lists before its first step: it ends here rather than after the first checkpoint.
        folder.requireNoLink();
        return folder.guarded("read", () -> {
            var copies = new ArrayList<StoredCheckpoint>();
            for (var copy : folder.indexes().entrySet()) {
                copies.add(new StoredCheckpoint(
                        copy.getKey(), copy.getValue().step(), copy.getValue().bytes()));
            }
            copies.sort(Comparator.comparingLong(StoredCheckpoint::step)
                    .thenComparing(StoredCheckpoint::name)
                    .reversed());
            return List.copyOf(copies);
        });
    }

    @Override
    public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
        folder.requireRoot();
        String name = checkpoint.path().getFileName().toString();
        folder.guarded("write", () -> {
            CopyIndex index = read(checkpoint);
            Path data = folder.data(name, index);
            // Reuses the folders of an earlier attempt, but never a link.
            RealFolders.create(root, data);
            DurableFile.syncNames(root);
            long before = 0;
            for (CopiedFile file : index.files()) {
                long done = before;
                store(checkpoint.path(), data, file, bytes -> doneBytes.accept(done + bytes));
                before += file.bytes();
                doneBytes.accept(before);
            }
            Folders.syncAllNames(data);
            RealFolders.require(folder.path());
            AtomicFile.write(
                    folder.path().resolve(CopyNames.index(name)),
                    folder.path().resolve(CopyNames.unfinishedIndex(name)),
                    out -> out.write(index.text().getBytes(StandardCharsets.UTF_8)));
            removeLeftovers();
            return null;
        });
    }

    private static CopyIndex read(CheckpointInfo checkpoint) {
        try {
            return CopyFiles.index(checkpoint.path(), checkpoint.step());
        } catch (ClosedByInterruptException cutOff) {
            throw new StoreException("interrupted", cutOff);
        } catch (IOException e) {
            throw new CheckpointException(checkpoint.path() + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** Reads back what was written: a disk may have stored something else. */
    private void store(Path from, Path data, CopiedFile file, LongConsumer done) throws IOException {
        RealFolders.create(data, data.resolve(file.name()).getParent());
        if (CopyFiles.has(data, file)) {
            // Sync: the writer may have been interrupted before its own sync.
            DurableFile.syncContents(data.resolve(file.name()));
            return;
        }
        CopyFiles.copy(from, data, file.name(), done, e -> folder.failure("write", e));
        if (!CopyFiles.has(data, file)) {
            throw new StoreException(data.resolve(file.name()) + " does not contain what was written to it");
        }
    }

    /** The copy is complete already: a failure here only logs a warning. */
    private void removeLeftovers() {
        try {
            for (String leftover : CopyNames.leftovers(folder.entries(), folder.indexes())) {
                Deletion.delete(folder.path().resolve(leftover));
            }
        } catch (IOException | StoreException e) {
            LOG.warn("leftovers in {} could not be removed: {}", folder.path(), Reason.of(e));
        }
    }

    @Override
    public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
        folder.requireRoot();
        folder.guarded("fetch from", () -> {
            CopyIndex index = folder.index(copy.name());
            Path data = folder.data(copy.name(), index);
            long before = 0;
            for (CopiedFile file : index.files()) {
                long done = before;
                CopiedFile read = CopyFiles.copy(
                        data, into, file.name(), bytes -> doneBytes.accept(done + bytes), e -> unwritable(into, e));
                if (!read.equals(file)) {
                    throw new CheckpointException(data.resolve(file.name()) + " is damaged: its checksum is wrong");
                }
                before += file.bytes();
            }
            syncNames(into);
            return null;
        });
    }

    private static void syncNames(Path into) {
        try {
            Folders.syncAllNames(into);
        } catch (IOException e) {
            throw unwritable(into, e);
        }
    }

    /** A local failure, not one of the copy. */
    private static HirundoException unwritable(Path folder, IOException e) {
        return e instanceof ClosedByInterruptException
                ? new StoreException("interrupted", e)
                : new StorageException(folder + " cannot be written: " + Reason.of(e) + "; free space or repair it", e);
    }

    @Override
    public void delete(StoredCheckpoint copy) {
        folder.requireRoot();
        folder.guarded("delete from", () -> {
            RealFolders.require(folder.path());
            CopyIndex index = folder.index(copy.name());
            Files.delete(folder.path().resolve(CopyNames.index(copy.name())));
            DurableFile.syncNames(folder.path());
            Deletion.delete(folder.data(copy.name(), index));
            return null;
        });
    }

    @Override
    public void close() {}
}
