package io.hirundo.lib.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Creates, lists and syncs folders, the last two recursively. Entries that disappear or cannot be read meanwhile cause an {@link IOException}. */
public final class Folders {
    private Folders() {}

    /**
     * Creates a folder and the missing ones above it, each for this user only, whatever the umask: for a cache from which code is loaded.
     * Existing folders stay as they are.
     */
    public static void createPrivate(Path folder) throws IOException {
        if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } else {
            Files.createDirectories(folder);
        }
    }

    /** All files below a folder, sorted. */
    public static List<Path> files(Path folder) throws IOException {
        return below(folder, Files::isRegularFile);
    }

    /** A file's name relative to a folder, with {@code /}. */
    public static String name(Path folder, Path file) {
        return folder.relativize(file).toString().replace('\\', '/');
    }

    private static List<Path> below(Path folder, Predicate<Path> wanted) throws IOException {
        var found = new ArrayList<Path>();
        if (wanted.test(folder)) {
            found.add(folder);
        }
        // The folder itself may be a link; links inside it are not followed.
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.toList()) {
                try (Stream<Path> paths = Files.walk(entry)) {
                    paths.filter(wanted).forEach(found::add);
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        found.sort(Comparator.naturalOrder());
        return found;
    }

    /** Syncs the entries of a folder and of all folders below it to storage. */
    public static void syncAllNames(Path folder) throws IOException {
        for (Path each : below(folder, Files::isDirectory)) {
            DurableFile.syncNames(each);
        }
    }
}
