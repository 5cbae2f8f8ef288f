package io.hirundo.checkpointdcp.internal;

import com.fasterxml.jackson.core.JacksonException;
import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.FoundCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder with a checkpoint's name.
 *
 * @param whole null where there is a problem
 * @param problem null where there is none, as far as the manifest and the lengths of the files tell
 */
record Found(CheckpointName name, Path folder, SavedCheckpoint whole, CheckpointException problem) {
  /** Of one step, that which was saved last; those on storage and in memory are two kinds, each with its own revisions. */
  static final Comparator<Found> NEWEST_FIRST =
      Comparator.comparingLong((Found found) -> found.name().step())
          .thenComparing(found -> Words.savedAt(found.folder()))
          .thenComparing(Found::name)
          .reversed();

  /** Looks at it. */
  static Found at(CheckpointName name, Path folder, ManifestText text) {
    try {
      return new Found(name, folder, SavedCheckpoint.open(folder, text), null);
    } catch (CheckpointException problem) {
      return new Found(name, folder, null, problem);
    }
  }

  boolean isWhole() {
    return whole != null;
  }

  /** Whether nothing is known of it: its manifest is there, but was neither accepted nor refused. The next attempt may read it. */
  boolean isUnreadable() {
    // What is no manifest, which is told by an exception of its parser, has been read.
    return !isWhole()
        && problem.getCause() instanceof IOException cause
        && !(cause instanceof NoSuchFileException)
        && !(cause instanceof JacksonException);
  }

  FoundCheckpoint describe() throws IOException {
    return isWhole()
        ? new FoundCheckpoint(whole.info(), "")
        : new FoundCheckpoint(new CheckpointInfo(folder, name.step(), bytesThere(), isInMemory()), problem.getMessage());
  }

  boolean isInMemory() {
    return isWhole() ? whole.isInMemory() : folder.getParent().endsWith(CheckpointStore.MEMORY);
  }

  /** Whether the run has only a link to it. */
  boolean isLinked() {
    return Files.isSymbolicLink(folder);
  }

  private long bytesThere() throws IOException {
    if (!Files.isDirectory(folder)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
