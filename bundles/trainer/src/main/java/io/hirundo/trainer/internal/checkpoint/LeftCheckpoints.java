package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.lib.files.DurableFile;
import io.hirundo.lib.files.RealFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Checkpoints of later steps than the one from which a run resumed on request. They move to a folder of their own, where no resume looks.
 *
 * @param directory of the checkpoints
 */
record LeftCheckpoints(Path directory) {
    private static final String FOLDER = "abandoned";

    /**
     * Moves them, and copies files that the resumed run shortens. Returns a line that says so; empty if there is nothing to move.
     *
     * @param step from which the run resumed
     */
    String move(long step, List<FoundCheckpoint> later, List<Path> shortened) {
        if (later.isEmpty()) {
            return "";
        }
        Path run = directory.getParent();
        try {
            Path into = free(run.resolve(FOLDER), "after-step-" + step);
            RealFolders.create(run, into);
            for (Path file : shortened) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    Files.copy(file, into.resolve(file.getFileName()));
                }
            }
            for (FoundCheckpoint found : later) {
                Path to = into.resolve(
                        directory.relativize(found.checkpoint().path()).toString());
                RealFolders.create(run, to.getParent());
                Files.move(found.checkpoint().path(), to, StandardCopyOption.ATOMIC_MOVE);
            }
            DurableFile.syncNames(into);
            DurableFile.syncNames(directory);
            return "--at: " + later.size() + (later.size() == 1 ? " later checkpoint is" : " later checkpoints are")
                    + " in " + into + " now, with a copy of the metrics; remove it when you do not need them";
        } catch (IOException failure) {
            throw new StorageException(
                    "--at: later checkpoints cannot be moved to " + run.resolve(FOLDER) + ": " + Reason.of(failure)
                            + "; make room or fix its permissions",
                    failure);
        }
    }

    private static Path free(Path parent, String name) {
        Path folder = parent.resolve(name);
        for (int number = 2; Files.exists(folder, LinkOption.NOFOLLOW_LINKS); number++) {
            folder = parent.resolve(name + "." + number);
        }
        return folder;
    }
}
