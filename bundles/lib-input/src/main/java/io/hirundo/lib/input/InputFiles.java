package io.hirundo.lib.input;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Checks and bounded reads of foreign files.
 *
 * <p>Opening a named pipe blocks until somebody writes to it, and a device may deliver bytes forever. Both are rejected before
 * they are opened. Symbolic links are followed; the check applies to their target.
 */
public final class InputFiles {
    /** File type bits of {@code st_mode}, and their values; see inode(7). */
    private static final int TYPE_MASK = 0170000;

    private static final int NAMED_PIPE = 0010000;
    private static final int CHARACTER_DEVICE = 0020000;
    private static final int BLOCK_DEVICE = 0060000;
    private static final int SOCKET = 0140000;

    private InputFiles() {}

    /**
     * Checks that the path is a regular file.
     *
     * @throws NoSuchFileException if it does not exist
     * @throws IrregularFileException if it is a folder, a named pipe, a device, a socket, or a link to itself
     */
    public static void requireRegular(Path file) throws IOException {
        BasicFileAttributes attributes = attributes(file);
        if (!attributes.isRegularFile()) {
            throw new IrregularFileException(file, attributes.isDirectory() ? "a folder" : kind(file));
        }
    }

    /**
     * Reads the contents of a regular file.
     *
     * @param maxBytes largest accepted size
     * @throws NoSuchFileException if the file does not exist
     * @throws IrregularFileException if it is not a regular file
     * @throws FileTooLargeException if it is larger, even if it grows meanwhile or reports no size (as in /proc)
     */
    public static byte[] readAllBytes(Path file, int maxBytes) throws IOException {
        requireRegular(file);
        long size = Files.size(file);
        if (size > maxBytes) {
            throw new FileTooLargeException(file, maxBytes);
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes);
            if (bytes.length == maxBytes && in.read() >= 0) {
                throw new FileTooLargeException(file, maxBytes);
            }
            return bytes;
        }
    }

    /**
     * Reads a regular file as UTF-8 text; malformed bytes become U+FFFD.
     *
     * @param maxBytes largest accepted size
     * @throws IOException see {@link #readAllBytes}
     */
    public static String readString(Path file, int maxBytes) throws IOException {
        return new String(readAllBytes(file, maxBytes), StandardCharsets.UTF_8);
    }

    private static BasicFileAttributes attributes(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class);
        } catch (FileSystemException e) {
            // ELOOP has no exception class of its own.
            if (Files.isSymbolicLink(file)
                    && !(e instanceof NoSuchFileException || e instanceof AccessDeniedException)) {
                throw new IrregularFileException(file, "a symbolic link that leads to itself");
            }
            throw e;
        }
    }

    private static String kind(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return "a special file";
        }
        int mode = (Integer) Files.getAttribute(file, "unix:mode", new LinkOption[0]);
        return switch (mode & TYPE_MASK) {
            case NAMED_PIPE -> "a named pipe";
            case CHARACTER_DEVICE, BLOCK_DEVICE -> "a device";
            case SOCKET -> "a socket";
            default -> "a special file";
        };
    }
}
