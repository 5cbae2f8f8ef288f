package io.hirundo.lib.files;

import io.hirundo.Reason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Deletes files, links and folders with their contents. Never follows a symbolic link: it deletes the link and keeps its target.
 *
 * <p>Where the file system supports it, as on Linux, folders are opened relative to their parent and entries deleted relative to
 * the open folder ({@code openat}, {@code unlinkat}). A folder replaced by a link between two steps is then not followed either.
 * Elsewhere each folder is checked right before it is read.
 */
public final class Deletion {
    /** Each level takes an open folder and a stack frame. Hirundo never creates deeper trees. */
    private static final int MAX_DEPTH = 200;

    private static final LinkOption[] NO_FOLLOW = {LinkOption.NOFOLLOW_LINKS};

    /** Called before each entry is deleted. */
    @FunctionalInterface
    public interface Step {
        /** Throws to stop the deletion. */
        void before(Path entry) throws IOException;
    }

    private final Step step;

    private Deletion(Step step) {
        this.step = step;
    }

    /** Deletes a file, a link, or a folder with its contents; does nothing if the path does not exist. */
    public static void delete(Path path) throws IOException {
        delete(path, _ -> {});
    }

    /** Like {@link #delete(Path)}; deletes contents in name order, and each folder after its contents. */
    public static void delete(Path path, Step step) throws IOException {
        Path absolute = path.toAbsolutePath();
        if (absolute.getNameCount() == 0 || absolute.getFileName().toString().equals("..")) {
            throw new FileSystemException(
                    path.toString(), null, "is not deleted: it is not the name of a file or folder");
        }
        new Deletion(step).run(absolute);
    }

    private void run(Path path) throws IOException {
        try {
            if (!isFolder(Files.readAttributes(path, BasicFileAttributes.class, NO_FOLLOW))) {
                step.before(path);
                Files.delete(path);
                return;
            }
            try (DirectoryStream<Path> above = Files.newDirectoryStream(path.getParent())) {
                if (above instanceof SecureDirectoryStream<Path> folder) {
                    deleteFolder(folder, path, 1);
                } else {
                    deleteFolder(path, 1);
                }
            }
        } catch (NoSuchFileException gone) {
            // Already gone, or deleted concurrently.
        }
    }

    private static boolean isFolder(BasicFileAttributes attributes) {
        return attributes.isDirectory() && !attributes.isSymbolicLink();
    }

    /** {@code above} is the open parent folder. */
    private void deleteFolder(SecureDirectoryStream<Path> above, Path path, int depth) throws IOException {
        requireDepth(path, depth);
        Path name = path.getFileName();
        try {
            try (SecureDirectoryStream<Path> folder = above.newDirectoryStream(name, NO_FOLLOW)) {
                for (Path entry : names(folder)) {
                    deleteEntry(folder, path.resolve(entry), depth);
                }
            }
            step.before(path);
            above.deleteDirectory(name);
        } catch (FileSystemException e) {
            throw located(e, path);
        }
    }

    private void deleteEntry(SecureDirectoryStream<Path> folder, Path path, int depth) throws IOException {
        Path name = path.getFileName();
        try {
            if (isFolder(folder.getFileAttributeView(name, BasicFileAttributeView.class, NO_FOLLOW)
                    .readAttributes())) {
                deleteFolder(folder, path, depth + 1);
            } else {
                step.before(path);
                folder.deleteFile(name);
            }
        } catch (NoSuchFileException gone) {
            // Deleted concurrently.
        } catch (FileSystemException e) {
            throw located(e, path);
        }
    }

    private void deleteFolder(Path path, int depth) throws IOException {
        requireDepth(path, depth);
        List<Path> entries;
        try (DirectoryStream<Path> folder = Files.newDirectoryStream(path)) {
            entries = names(folder);
        }
        for (Path name : entries) {
            Path entry = path.resolve(name);
            if (isFolder(Files.readAttributes(entry, BasicFileAttributes.class, NO_FOLLOW))) {
                deleteFolder(entry, depth + 1);
            } else {
                step.before(entry);
                Files.deleteIfExists(entry);
            }
        }
        step.before(path);
        Files.deleteIfExists(path);
    }

    private static List<Path> names(DirectoryStream<Path> folder) throws IOException {
        var names = new ArrayList<Path>();
        try {
            folder.forEach(entry -> names.add(entry.getFileName()));
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        names.sort(Comparator.naturalOrder());
        return names;
    }

    private static void requireDepth(Path path, int depth) throws IOException {
        if (depth > MAX_DEPTH) {
            throw new FileSystemException(
                    path.toString(), null, "is nested more than " + MAX_DEPTH + " folders deep; remove it by hand");
        }
    }

    /** Exceptions from an open folder name the entry without its folder. */
    private static FileSystemException located(FileSystemException e, Path path) {
        if (e instanceof NoSuchFileException
                || path.toString().equals(e.getFile())
                || e.getFile() != null && Path.of(e.getFile()).isAbsolute()) {
            return e;
        }
        var located = new FileSystemException(
                path.toString(), e.getOtherFile(), e.getReason() == null ? Reason.kind(e) : e.getReason());
        located.initCause(e);
        return located;
    }
}
