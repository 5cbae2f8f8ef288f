package io.hirundo.checkpointdcp.internal.store;

import com.fasterxml.jackson.core.JacksonException;
import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.FoundCheckpoint;
import io.hirundo.checkpointdcp.internal.format.CheckpointName;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
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
public record CheckpointFolder(CheckpointName name, Path folder, SavedCheckpoint whole, CheckpointException problem) {
    /** Of one step, that which was saved last; those on storage and in memory are two kinds, each with its own revisions. */
    public static final Comparator<CheckpointFolder> NEWEST_FIRST = Comparator.comparingLong(
                    (CheckpointFolder found) -> found.name().step())
            .thenComparing(found -> CheckpointText.savedAt(found.folder()))
            .thenComparing(CheckpointFolder::name)
            .reversed();

    /** Looks at it. */
    static CheckpointFolder at(CheckpointName name, Path folder, ManifestText text) {
        try {
            return new CheckpointFolder(name, folder, SavedCheckpoint.open(folder, text), null);
        } catch (CheckpointException problem) {
            return new CheckpointFolder(name, folder, null, problem);
        }
    }

    public boolean isWhole() {
        return whole != null;
    }

    /** Whether its manifest exists but could not be read, so that it was neither accepted nor rejected. The next attempt may read it. */
    boolean isUnreadable() {
        // A parser's exception means that the file was read, and is no manifest.
        return !isWhole()
                && problem.getCause() instanceof IOException cause
                && !(cause instanceof NoSuchFileException)
                && !(cause instanceof JacksonException);
    }

    public FoundCheckpoint describe() throws IOException {
        return isWhole()
                ? new FoundCheckpoint(whole.info(), "")
                : new FoundCheckpoint(
                        new CheckpointInfo(folder, name.step(), bytesThere(), isInMemory()), problem.getMessage());
    }

    public boolean isInMemory() {
        return isWhole() ? whole.isInMemory() : folder.getParent().endsWith(CheckpointStore.MEMORY);
    }

    /** Whether the run has only a link to it. */
    public boolean isLinked() {
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
