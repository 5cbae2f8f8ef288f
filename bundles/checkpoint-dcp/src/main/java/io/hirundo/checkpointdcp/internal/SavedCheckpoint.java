package io.hirundo.checkpointdcp.internal;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A checkpoint on storage whose manifest is sound and whose files are as long as it says. */
record SavedCheckpoint(CheckpointName name, Path folder, Manifest manifest) {
  /**
   * Reads and checks the manifest and the lengths of the files, not their contents.
   *
   * @param text how manifests are spelled
   * @throws CheckpointException when it is not whole; names the file
   */
  static SavedCheckpoint open(Path folder, ManifestText text) {
    Path file = folder.resolve(Manifest.FILE);
    CheckpointName name =
        CheckpointName.of(folder)
            .orElseThrow(() -> new CheckpointException(folder + " is not the folder of a checkpoint: step-NNNNNNNN"));
    try {
      Manifest manifest = text.read(Files.readAllBytes(file), file.toString());
      ManifestCheck.check(manifest, file.toString());
      if (manifest.step() != name.step()) {
        throw new CheckpointException(file + " is of step " + manifest.step() + ": it belongs to another folder");
      }
      for (DataFile data : manifest.files()) {
        checkLength(folder.resolve(data.name()), data.bytes());
      }
      return new SavedCheckpoint(name, folder, manifest);
    } catch (NoSuchFileException e) {
      throw new CheckpointException(e.getFile() + " is missing", e);
    } catch (IOException e) {
      throw new CheckpointException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static void checkLength(Path file, long bytes) throws IOException {
    long found = Files.size(file);
    if (found != bytes) {
      throw new CheckpointException(file + " has " + found + " bytes, but the manifest says " + bytes);
    }
  }

  CheckpointInfo info() throws IOException {
    return new CheckpointInfo(
        folder, manifest.step(), manifest.dataBytes() + Files.size(folder.resolve(Manifest.FILE)));
  }
}
