package io.hirundo.checkpointdcp.internal.store;

import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How things go from a folder of checkpoints: renamed before anything in them is deleted, for what is half deleted must not have a
 * checkpoint's name.
 *
 * @param directory the folder
 */
public record Trash(Path directory, FileOperations files) {
    private static final Logger LOG = LoggerFactory.getLogger(Trash.class);
    private static final String PREFIX = ".trash-";

    /** {@code name}: of no other that is being deleted. */
    void discard(Path folder, String name) throws IOException {
        Path renamed = directory.resolve(PREFIX + name);
        files.rename(folder, renamed);
        files.syncFolder(directory);
        files.deleteAll(renamed);
    }

    /** Deletes what a crash or a failure left. */
    public void removeLeftovers() throws IOException {
        for (Path entry : leftovers()) {
            LOG.info("removing {}, left by an interrupted run", entry);
            files.deleteAll(entry);
        }
    }

    /** Unfinished saves and half-deleted checkpoints; nobody may be saving. */
    public List<Path> leftovers() throws IOException {
        return CheckpointStore.entries(directory).stream()
                .filter(entry -> isLeftover(entry.getFileName().toString()))
                .toList();
    }

    private static boolean isLeftover(String name) {
        String saved = "(step-\\d{8,18}|" + CheckpointStore.LATEST + ")" + CheckpointStore.UNFINISHED + "[0-9a-f]+";
        return name.matches(saved) || name.startsWith(PREFIX + "step-");
    }
}
