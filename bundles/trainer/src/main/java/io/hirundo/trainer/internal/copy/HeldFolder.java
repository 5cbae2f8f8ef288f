package io.hirundo.trainer.internal.copy;

import io.hirundo.Reason;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.Folders;
import io.hirundo.lib.files.RealFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Hard links to a checkpoint's files. The links keep the files readable while they are copied, even if the checkpoint strategy deletes the
 * checkpoint meanwhile. No data is duplicated.
 *
 * @param checkpoint the checkpoint as it was saved
 * @param held the linked checkpoint; the original if the file system has no hard links
 */
record HeldFolder(CheckpointInfo checkpoint, CheckpointInfo held) {
    private static final Logger LOG = LoggerFactory.getLogger(HeldFolder.class);

    /**
     * Links a checkpoint's files.
     *
     * @param room a folder on the checkpoint's file system that only this object uses
     * @param warns whether a failure is a warning: it is the first one of a run
     */
    static HeldFolder of(CheckpointInfo checkpoint, Path room, boolean warns) {
        Path folder = room.resolve(checkpoint.path().getFileName());
        try {
            List<Path> files = Folders.files(checkpoint.path());
            // The folder of all rooms is below the run's, and does not exist before the first copy.
            RealFolders.create(room.getParent().getParent(), folder);
            for (Path file : files) {
                Path link = folder.resolve(checkpoint.path().relativize(file));
                RealFolders.create(folder, link.getParent());
                Files.createLink(link, file);
            }
            return new HeldFolder(checkpoint, new CheckpointInfo(folder, checkpoint.step(), checkpoint.bytes()));
        } catch (IOException | UnsupportedOperationException noLinks) {
            LOG.atLevel(warns ? Level.WARN : Level.INFO)
                    .log(
                            "cannot hard-link {}, so its copy fails if it is deleted meanwhile: {}; keepLast must leave time for copies",
                            checkpoint.path(),
                            noLinks instanceof IOException failure ? Reason.of(failure) : "there are no links");
            removeAll(room);
            return new HeldFolder(checkpoint, checkpoint);
        }
    }

    /** Whether the files stay readable if the checkpoint is deleted. */
    boolean isLinked() {
        return !held.equals(checkpoint);
    }

    void release() {
        if (isLinked()) {
            removeAll(held.path().getParent());
        }
    }

    /** Deletes the folder. A failure is only logged. */
    static void removeAll(Path room) {
        try {
            Deletion.delete(room);
        } catch (IOException e) {
            LOG.warn("{} is no longer needed, but cannot be deleted: {}", room, Reason.of(e));
        }
    }
}
