package io.hirundo.trainer.internal.copy;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.support.Folders;
import io.hirundo.lib.files.Deletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A checkpoint's files under names of our own, so that they stay while they are copied although the strategy may delete the
 * checkpoint meanwhile. Hard links: nothing is written twice.
 *
 * @param checkpoint as it was saved
 * @param held the same, in our folder; or where it is where the file system has no hard links
 */
record HeldFolder(CheckpointInfo checkpoint, CheckpointInfo held) {
  private static final Logger LOG = LoggerFactory.getLogger(HeldFolder.class);

  /** {@code room}: a folder on the checkpoint's file system for this one alone. */
  static HeldFolder of(CheckpointInfo checkpoint, Path room) {
    Path folder = room.resolve(checkpoint.path().getFileName());
    try {
      List<Path> files = Folders.files(checkpoint.path());
      Files.createDirectories(folder);
      for (Path file : files) {
        Path link = folder.resolve(checkpoint.path().relativize(file));
        Files.createDirectories(link.getParent());
        Files.createLink(link, file);
      }
      return new HeldFolder(checkpoint, new CheckpointInfo(folder, checkpoint.step(), checkpoint.bytes()));
    } catch (IOException | UnsupportedOperationException noLinks) {
      LOG.info("{} is copied where it is, and cannot be if it is deleted meanwhile: {}", checkpoint.path(), noLinks.toString());
      removeAll(room);
      return new HeldFolder(checkpoint, checkpoint);
    }
  }

  void release() {
    if (!held.equals(checkpoint)) {
      removeAll(held.path().getParent());
    }
  }

  /** Deletes a room; trouble with that is worth a line. */
  static void removeAll(Path room) {
    try {
      Deletion.delete(room);
    } catch (IOException e) {
      LOG.warn("{} is no longer needed, but cannot be deleted: {}", room, e.toString());
    }
  }
}
