package io.hirundo.tokenizerhf.internal.files;

import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.files.AtomicFile;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes and deletes files atomically. */
public final class WholeFile {
    private WholeFile() {}

    /**
     * Writes or replaces a file, and creates its folder if there is none.
     *
     * @throws StorageException if that fails; the old contents are then unchanged
     */
    public static void write(Path file, byte[] bytes) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            AtomicFile.write(file, bytes);
        } catch (IOException e) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
        }
    }

    /** @throws StorageException if {@link #write} would fail; for a check before expensive work */
    public static void requireWritable(Path file) {
        try {
            AtomicFile.requireWritable(file);
        } catch (IOException e) {
            throw new StorageException("cannot write " + OutputFiles.explain(file, e), e);
        }
    }

    /** @throws StorageException if the file exists and cannot be deleted */
    public static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageException("cannot delete " + Reason.of(e) + ": fix permissions there", e);
        }
    }
}
