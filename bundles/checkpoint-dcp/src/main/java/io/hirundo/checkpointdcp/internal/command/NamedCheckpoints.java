package io.hirundo.checkpointdcp.internal.command;

import io.hirundo.CheckpointException;
import io.hirundo.Reason;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.store.CheckpointFolder;
import io.hirundo.checkpointdcp.internal.store.CheckpointStore;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checkpoints as a command line names them: by the folder of a run, the folder of its checkpoints, or that of a single one.
 *
 * @param store of the run they belong to; those in memory have one of their own
 * @param found those that are meant, newest first
 */
record NamedCheckpoints(CheckpointStore store, List<CheckpointFolder> found) {
    /** For the help of commands. */
    static final String LABEL = "RUN|CHECKPOINT";

    /** Looks; throws where there is no such folder. */
    static NamedCheckpoints at(Path path) {
        Path folder = path.toAbsolutePath().normalize();
        if (!Files.isDirectory(folder)) {
            throw new CheckpointException("there is no folder " + path
                    + "; give a run's folder, runs/NAME for instance, or that of a checkpoint");
        }
        try {
            Optional<CheckpointName> single = CheckpointName.of(folder);
            if (single.isPresent()) {
                return all(folder.getParent(), found -> found.name().equals(single.get()));
            }
            Path below = folder.resolve(RunFolder.CHECKPOINTS);
            return all(Files.isDirectory(below) ? below : folder, found -> true);
        } catch (IOException e) {
            throw new CheckpointException(path + " cannot be read: " + Reason.of(e), e);
        }
    }

    private static NamedCheckpoints all(Path directory, Predicate<CheckpointFolder> meant) throws IOException {
        var store = new CheckpointStore(directory, new DiskOperations(), new ManifestText());
        return new NamedCheckpoints(store, store.all().stream().filter(meant).toList());
    }

    /** Also those of the run that are in memory. */
    List<CheckpointFolder> withThoseInMemory() throws IOException {
        var all = new ArrayList<CheckpointFolder>(found);
        all.addAll(inMemory().all());
        all.sort(CheckpointFolder.NEWEST_FIRST);
        return all;
    }

    /** Of the run's checkpoints in memory. */
    CheckpointStore inMemory() {
        return CheckpointStore.inMemory(store.directory(), new DiskOperations(), new ManifestText());
    }

    /** As {@link #at}; throws where there is not one checkpoint at least, whole or not. */
    static NamedCheckpoints someAt(Path path) {
        NamedCheckpoints named = at(path);
        if (named.found.isEmpty()) {
            throw new CheckpointException("there is no checkpoint in " + named.store.directory()
                    + "; give the folder of a run that has saved one");
        }
        return named;
    }
}
