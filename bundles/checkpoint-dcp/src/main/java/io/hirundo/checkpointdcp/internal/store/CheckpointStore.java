package io.hirundo.checkpointdcp.internal.store;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The folder of a run's checkpoints, or of the manifests of those in memory. All that changes it is called by rank 0 only. Thread-safe. */
public final class CheckpointStore {
    /** Folder, below that of the checkpoints, of the manifests of those whose data are in memory. */
    public static final String MEMORY = "memory";

    /** Names the newest checkpoint, for people and scripts; programs list the folder. */
    static final String LATEST = "latest";

    /** Between a checkpoint's name, or {@link #LATEST}, and the id of the save that is under way. */
    static final String UNFINISHED = ".tmp-";

    private final Path directory;
    private final FileOperations files;
    private final ManifestText manifests;
    private final Trash trash;
    private final SaveFolders saves;

    public CheckpointStore(Path directory, FileOperations files, ManifestText manifests) {
        this.directory = directory.toAbsolutePath().normalize();
        this.files = files;
        this.manifests = manifests;
        this.trash = new Trash(this.directory, files);
        this.saves = new SaveFolders(this.directory, files, manifests, trash);
    }

    /** Of a run's checkpoints in memory. */
    public static CheckpointStore inMemory(Path directory, FileOperations files, ManifestText manifests) {
        return new CheckpointStore(directory.resolve(MEMORY), files, manifests);
    }

    public Path directory() {
        return directory;
    }

    /** Saves under way. */
    public SaveFolders saves() {
        return saves;
    }

    /** What goes, or was left by a crash. */
    public Trash trash() {
        return trash;
    }

    /** As {@link SavedCheckpoint#open}. */
    public SavedCheckpoint open(Path folder) {
        return SavedCheckpoint.open(folder, manifests);
    }

    /** Checkpoints that are whole, newest first. */
    public List<SavedCheckpoint> list() throws IOException {
        return all().stream()
                .filter(CheckpointFolder::isWhole)
                .map(CheckpointFolder::whole)
                .toList();
    }

    /** All that has a checkpoint's name, newest first. */
    public List<CheckpointFolder> all() throws IOException {
        var found = new ArrayList<CheckpointFolder>();
        for (Path entry : entries(directory)) {
            CheckpointName.of(entry).ifPresent(name -> found.add(CheckpointFolder.at(name, entry, manifests)));
        }
        found.sort(Comparator.comparing(CheckpointFolder::name).reversed());
        return found;
    }

    public void pointTo(SavedCheckpoint newest) throws IOException {
        Path fresh = directory.resolve(
                LATEST + UNFINISHED + newest.manifest().header().id());
        try (FileOperations.Output output = files.createFile(fresh)) {
            output.write(ByteBuffer.wrap((newest.name() + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            output.sync();
        }
        files.rename(fresh, directory.resolve(LATEST));
        files.syncFolder(directory);
    }

    /** As {@link #pointTo}, to the newest of those that are there. */
    public void pointToNewest() throws IOException {
        List<SavedCheckpoint> whole = list();
        if (!whole.isEmpty()) {
            pointTo(whole.getFirst());
        } else if (Files.exists(directory.resolve(LATEST), LinkOption.NOFOLLOW_LINKS)) {
            files.delete(directory.resolve(LATEST));
        }
    }

    /** Whole checkpoints in the folder itself, newest first. Linked ones belong to wherever they are: nobody deletes or counts them here. */
    public List<SavedCheckpoint> own() throws IOException {
        return list().stream().filter(checkpoint -> !checkpoint.isLinked()).toList();
    }

    /** Deletes what is of later steps, from before the run went back to an earlier one. */
    public void discardBehind(SavedCheckpoint newest) throws IOException {
        for (SavedCheckpoint other : own()) {
            if (other.name().compareTo(newest.name()) > 0) {
                discard(other);
            }
        }
    }

    /** Deletes, of this checkpoint and the older ones, those that need not be kept. */
    public void prune(SavedCheckpoint newest, Retention retention) throws IOException {
        for (SavedCheckpoint old : superfluous(newest.name(), retention)) {
            discard(old);
        }
    }

    /** Those of all that need not be kept. */
    public List<SavedCheckpoint> superfluous(Retention retention) throws IOException {
        return superfluous(CheckpointName.LATEST_POSSIBLE, retention);
    }

    private List<SavedCheckpoint> superfluous(CheckpointName newest, Retention retention) throws IOException {
        List<SavedCheckpoint> known =
                own().stream().filter(old -> old.name().compareTo(newest) <= 0).toList();
        List<CheckpointName> names =
                retention.superfluous(known.stream().map(SavedCheckpoint::name).toList());
        return known.stream().filter(old -> names.contains(old.name())).toList();
    }

    /**
     * Ids of the saves that are under way, and of the checkpoints that stay when others go because of this one. Any rank may ask.
     *
     * @throws IOException also where one cannot be read, so that its id is unknown
     */
    public Set<String> idsInUse(CheckpointName newest, Retention retention) throws IOException {
        // Those under way first: what becomes a checkpoint meanwhile is not missed.
        var ids = new HashSet<String>();
        for (Path entry : entries(directory)) {
            if (entry.getFileName().toString().contains(UNFINISHED)) {
                ids.add(SaveFolders.idOf(entry));
            }
        }
        List<CheckpointFolder> all = all();
        Optional<CheckpointFolder> unreadable =
                all.stream().filter(CheckpointFolder::isUnreadable).findFirst();
        if (unreadable.isPresent()) {
            throw new IOException(
                    unreadable.get().problem().getMessage(), unreadable.get().problem());
        }
        List<SavedCheckpoint> known = all.stream()
                .filter(found -> found.isWhole() && found.name().compareTo(newest) <= 0)
                .map(CheckpointFolder::whole)
                .toList();
        List<CheckpointName> superfluous = retention.superfluous(known.stream()
                .filter(checkpoint -> !checkpoint.isLinked())
                .map(SavedCheckpoint::name)
                .toList());
        known.stream()
                .filter(checkpoint -> !superfluous.contains(checkpoint.name()))
                .forEach(checkpoint -> ids.add(checkpoint.manifest().header().id()));
        return ids;
    }

    /** Deletes one that need not be kept. */
    public void discard(SavedCheckpoint checkpoint) throws IOException {
        trash.discard(
                checkpoint.folder(),
                checkpoint.name() + "-" + checkpoint.manifest().header().id());
    }

    /** Deletes damaged checkpoints other than the one just saved; keeps those that could not be read, which may be intact. */
    public void discardDamaged(CheckpointName saved) throws IOException {
        for (CheckpointFolder found : all()) {
            if (!found.isWhole()
                    && !found.isUnreadable()
                    && !found.isLinked()
                    && !found.name().equals(saved)) {
                discardDamaged(found);
            }
        }
    }

    private void discardDamaged(CheckpointFolder found) throws IOException {
        trash.discard(found.folder(), found.name() + "-damaged");
    }

    /** Deletes all, good or not: of those that a newer one elsewhere has made superfluous. */
    public void discardAll() throws IOException {
        for (CheckpointFolder found : all()) {
            if (found.isLinked()) {
                continue;
            }
            if (found.isWhole()) {
                discard(found.whole());
            } else {
                discardDamaged(found);
            }
        }
    }

    /** What is in a folder, by name; nothing where it is not there. */
    static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }
}
