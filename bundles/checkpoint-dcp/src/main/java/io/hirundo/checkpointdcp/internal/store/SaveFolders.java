package io.hirundo.checkpointdcp.internal.store;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The folders of saves under way, in a run's folder of checkpoints: how a save gets one, and how that becomes a checkpoint by a rename. */
public final class SaveFolders {
    private final Path directory;
    private final FileOperations files;
    private final ManifestText manifests;
    private final Trash trash;

    SaveFolders(Path directory, FileOperations files, ManifestText manifests, Trash trash) {
        this.directory = directory;
        this.files = files;
        this.manifests = manifests;
        this.trash = trash;
    }

    /**
     * A new folder for a save under way.
     *
     * @param isAlone whether no other save is under way, so that what looks like one is a leftover
     */
    public Path begin(long step, String id, boolean isAlone) throws IOException {
        make(directory);
        if (isAlone) {
            trash.removeLeftovers();
        }
        Path folder = directory.resolve(new CheckpointName(step, 0) + CheckpointStore.UNFINISHED + id);
        files.createNewFolder(folder);
        return folder;
    }

    /** With those above it, each of which survives a crash. */
    private void make(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            make(folder.getParent());
            files.createFolder(folder);
            files.syncFolder(folder.getParent());
        }
    }

    /** The folder that rank 0 made with {@link #begin}, for an id of this end. */
    public Path findBegun(long step, String idEnd) throws IOException {
        String prefix = new CheckpointName(step, 0) + CheckpointStore.UNFINISHED;
        List<Path> found = CheckpointStore.entries(directory).stream()
                .filter(entry -> entry.getFileName().toString().startsWith(prefix)
                        && idOf(entry).endsWith(idEnd))
                .toList();
        if (found.size() != 1) {
            throw new CheckpointException(directory + " holds " + found.size() + " folders " + prefix + "*" + idEnd
                    + " where rank 0 should have made one: it failed, or the folder is not shared by all ranks");
        }
        return found.getFirst();
    }

    /** The id of a save, from the name of its folder. */
    public static String idOf(Path begun) {
        String name = begun.getFileName().toString();
        return name.substring(name.indexOf(CheckpointStore.UNFINISHED) + CheckpointStore.UNFINISHED.length());
    }

    /** Gives a finished folder its name. When this returns, the checkpoint survives a crash. */
    public SavedCheckpoint commit(Path begun, long step) throws IOException {
        files.syncFolder(begun);
        Path folder = directory.resolve(newName(step).toString());
        files.rename(begun, folder);
        files.syncFolder(directory);
        return SavedCheckpoint.open(folder, manifests);
    }

    /** Behind all that are there of this step, so that it counts as the newest. */
    private CheckpointName newName(long step) throws IOException {
        var name = new CheckpointName(step, 0);
        for (Path entry : CheckpointStore.entries(directory)) {
            Optional<CheckpointName> other = CheckpointName.of(entry);
            if (other.isPresent() && other.get().step() == step && other.get().compareTo(name) >= 0) {
                name = other.get().next();
            }
        }
        return name;
    }

    /** The checkpoint that a save has become. Looks at those of its step only: others may be going at this moment. */
    public CheckpointInfo find(long step, String id) throws IOException {
        for (Path entry : CheckpointStore.entries(directory)) {
            boolean isOfStep =
                    CheckpointName.of(entry).filter(name -> name.step() == step).isPresent();
            if (isOfStep) {
                try {
                    SavedCheckpoint checkpoint = SavedCheckpoint.open(entry, manifests);
                    if (checkpoint.manifest().header().id().equals(id)) {
                        return checkpoint.info();
                    }
                } catch (CheckpointException another) {
                    // An earlier one of the step, which is not whole or is being deleted.
                }
            }
        }
        throw new CheckpointException("rank 0 could not finish the checkpoint of step " + step + "; its log says why");
    }
}
