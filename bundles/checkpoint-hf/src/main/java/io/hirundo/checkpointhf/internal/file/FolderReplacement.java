package io.hirundo.checkpointhf.internal.file;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.files.DurableFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/**
 * Writes a sibling folder and renames it to its final name, so that the folder appears complete or not at all. One writer per folder.
 *
 * <p>A folder cannot take the place of another in one step, so a former one is renamed out of the way first. A crash between
 * the two renames leaves both whole, under the names {@code .NAME.new} and {@code .NAME.old}; {@link #requireFolder} says so,
 * and the next write brings the former one back before anything else.
 */
public final class FolderReplacement {
    /** The file that a folder with a model has. */
    public static final String CONFIG = "config.json";

    /** Something that is done with the folder. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    private final Path target;
    private final Path fresh;
    private final Path former;
    /** Whether the fresh folder is here because of this object. */
    private boolean begun;

    public FolderReplacement(Path directory) {
        this.target = directory.toAbsolutePath().normalize();
        this.fresh = target.resolveSibling("." + target.getFileName() + ".new");
        this.former = target.resolveSibling("." + target.getFileName() + ".old");
    }

    /** Rejects a folder that does not exist. */
    public static void requireFolder(Path directory) {
        var replacement = new FolderReplacement(directory);
        if (Files.isDirectory(directory)) {
            return;
        }
        if (Files.isDirectory(replacement.former)) {
            throw new DataException(directory + " is missing: a write of it was cut off at the last moment; rename "
                    + replacement.fresh + " (the new model) or " + replacement.former + " (the former one) to it");
        }
        throw new DataException(directory + (Files.exists(directory) ? " is not a folder" : " does not exist")
                + "; give a folder that holds a Hugging Face model");
    }

    /**
     * Does the work.
     *
     * @throws StorageException where input or output fails; names the folder, which need not be there yet
     */
    public void attempt(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            throw failure(e);
        } catch (UncheckedIOException e) {
            throw failure(e.getCause());
        }
    }

    private StorageException failure(IOException e) {
        return new StorageException(
                "the model cannot be written to " + target + ": " + Reason.of(e)
                        + "; make room or choose another folder",
                e);
    }

    /** Where the new folder is until it is committed. */
    public Path fresh() {
        return fresh;
    }

    /** Creates {@link #fresh}; what an earlier write left is tidied up. */
    public Path begin() throws IOException {
        prepare();
        Files.createDirectory(fresh);
        begun = true;
        return fresh;
    }

    private void prepare() throws IOException {
        if (target.getFileName() == null) {
            throw new StorageException("a model cannot be written to " + target + "; choose a folder in it");
        }
        Files.createDirectories(target.getParent());
        if (Files.isDirectory(former) && !Files.exists(target)) {
            Files.move(former, target, StandardCopyOption.ATOMIC_MOVE);
        }
        Deletion.delete(former);
        Deletion.delete(fresh);
        requireReplaceable();
    }

    /** A slip of the keyboard must not cost anyone a folder of something else. */
    private void requireReplaceable() throws IOException {
        if (!Files.exists(target) || Files.exists(target.resolve(CONFIG))) {
            return;
        }
        boolean isEmpty = false;
        if (Files.isDirectory(target)) {
            try (Stream<Path> entries = Files.list(target)) {
                isEmpty = entries.findAny().isEmpty();
            }
        }
        if (!isEmpty) {
            throw new StorageException(
                    target + " is there and is not a model's folder; choose another folder or remove it");
        }
    }

    /** {@link #fresh} takes its place. */
    public void commit() throws IOException {
        boolean replaces = Files.exists(target);
        if (replaces) {
            Files.move(target, former, StandardCopyOption.ATOMIC_MOVE);
        }
        try {
            Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            if (replaces) {
                Files.move(former, target, StandardCopyOption.ATOMIC_MOVE);
            }
            throw failure;
        }
        begun = false;
        DurableFile.syncNames(target.getParent());
        Deletion.delete(former);
    }

    /** Removes what {@link #begin} made, unless it was committed. */
    public void discard() throws IOException {
        if (begun) {
            begun = false;
            Deletion.delete(fresh);
        }
    }
}
