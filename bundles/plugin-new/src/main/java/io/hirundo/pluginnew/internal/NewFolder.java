package io.hirundo.pluginnew.internal;

import io.hirundo.StorageException;
import io.hirundo.lib.files.Deletion;
import io.hirundo.lib.output.OutputFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/** Creates a folder atomically. */
final class NewFolder {
    private NewFolder() {}

    /**
     * Creates the folder.
     *
     * @param files contents by path in the folder
     * @throws StorageException if the folder exists and is not empty, or cannot be written
     */
    static void write(Path folder, Map<String, String> files) {
        Path target = folder.toAbsolutePath().normalize();
        requireFree(target);
        try {
            Files.createDirectories(target.getParent());
            // In the same parent, so that one rename publishes it.
            String unfinished =
                    "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part";
            Path part = Files.createDirectory(target.resolveSibling(unfinished));
            try {
                for (Map.Entry<String, String> file : files.entrySet()) {
                    Path path = part.resolve(file.getKey());
                    Files.createDirectories(path.getParent());
                    Files.writeString(path, file.getValue());
                }
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                Deletion.delete(part);
                throw e;
            }
        } catch (IOException e) {
            throw new StorageException(
                    "cannot write " + OutputFiles.explain(target, e) + ", or choose another folder with --directory",
                    e);
        }
    }

    private static void requireFree(Path target) {
        if (Files.notExists(target, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> entries = Files.list(target)) {
            if (entries.findAny().isEmpty()) {
                return;
            }
        } catch (IOException e) {
            throw new StorageException(
                    target + " exists and is not a readable folder; choose another with --directory", e);
        }
        throw new StorageException(
                target + " exists and is not empty; remove it or choose another folder with --directory");
    }
}
