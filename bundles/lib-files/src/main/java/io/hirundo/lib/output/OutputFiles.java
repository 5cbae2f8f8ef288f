package io.hirundo.lib.output;

import io.hirundo.Reason;
import io.hirundo.lib.input.InputFiles;
import io.hirundo.lib.input.IrregularFileException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Checks output files and folders before the work that fills them. The checks change nothing, so a rejected run leaves no trace.
 * Later failures, such as a full disk or a removed folder, still need handling.
 *
 * <p>An output file must be a regular file: a named pipe without a reader would block, and a device would lose the data.
 */
public final class OutputFiles {
    private static final String REMOVE = "; remove it or choose another path";
    private static final String MAKE_ROOM = "; make room or change its permissions";

    private OutputFiles() {}

    /**
     * Checks that a file can be created or replaced.
     *
     * @throws IrregularFileException if the path is a folder, a named pipe, a device or a socket
     * @throws UnwritableException if permissions or its folder prevent it
     */
    public static void requireFile(Path file) throws IOException {
        if (Files.exists(file)) {
            InputFiles.requireRegular(file);
            requireWritable(file);
        } else if (Files.isSymbolicLink(file)) {
            throw new UnwritableException(file, "is a symbolic link to nothing");
        } else {
            requireFolder(parent(file));
        }
    }

    /**
     * Like {@link #requireFile}, for a file whose folder must already exist.
     *
     * @throws NoSuchFileException if its folder does not exist
     */
    public static void requireFileInFolder(Path file) throws IOException {
        requireFile(file);
        if (!Files.exists(parent(file))) {
            throw new NoSuchFileException(file.toString());
        }
    }

    /**
     * Like {@link #requireFile}, and rejects symbolic links; for file names that Hirundo chose.
     *
     * @throws UnwritableException also if the file is a symbolic link
     */
    public static void requireOwnFile(Path file) throws IOException {
        if (Files.isSymbolicLink(file)) {
            throw isLink(file);
        }
        requireFile(file);
    }

    /** The failure to open a file without following links ({@code O_NOFOLLOW}): ELOOP has no exception class of its own. */
    public static IOException ofOpening(Path file, IOException failure) {
        return Files.isSymbolicLink(file) ? isLink(file) : failure;
    }

    private static UnwritableException isLink(Path file) {
        return new UnwritableException(file, "is a symbolic link, which Hirundo does not write through");
    }

    /**
     * Checks that files can be created in a folder, which need not exist.
     *
     * @throws UnwritableException if it or a folder above it is a file, or permissions prevent it
     */
    public static void requireFolder(Path folder) throws IOException {
        Path existing = folder.toAbsolutePath();
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            throw new UnwritableException(
                    existing, Files.exists(existing) ? "is a file, not a folder" : "is a symbolic link to nothing");
        }
        requireWritable(existing);
    }

    private static void requireWritable(Path path) throws IOException {
        if (!Files.isWritable(path)) {
            throw new UnwritableException(path, "is not writable for this user");
        }
    }

    private static Path parent(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }

    /**
     * Explains why a path could not be written, with the remedy: {@code PATH: it is a folder, not a regular file; remove it or
     * choose another path}. Exceptions of file systems often contain only a path.
     */
    public static String explain(Path path, IOException failure) {
        boolean isOfPath =
                failure instanceof FileSystemException at && path.toString().equals(at.getFile());
        return path + ": "
                + switch (failure) {
                    case IrregularFileException irregular ->
                        (isOfPath ? "it " + irregular.getReason() : irregular.getMessage()) + REMOVE;
                    case UnwritableException unwritable ->
                        (isOfPath ? "it " + unwritable.getReason() : unwritable.getMessage()) + REMOVE;
                    case NoSuchFileException gone ->
                        "there is no folder for it; make "
                                + Path.of(gone.getFile()).toAbsolutePath().getParent();
                    case AccessDeniedException denied ->
                        "permission denied; change the permissions of " + denied.getFile();
                    case FileAlreadyExistsException conflict -> conflict.getFile() + " is in the way" + REMOVE;
                    case FileSystemException other
                    when other.getReason() != null ->
                        (isOfPath ? "" : other.getFile() + ": ") + other.getReason() + MAKE_ROOM;
                    default -> Reason.of(failure) + MAKE_ROOM;
                };
    }
}
