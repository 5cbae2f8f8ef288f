package io.hirundo.launcher;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Deletes a folder recursively. Deletes links, never their targets. */
final class Deletion extends SimpleFileVisitor<Path> {
    private final Path kept;

    private Deletion(Path kept) {
        this.kept = kept;
    }

    /** Deletes the locked file last: while it exists, a later start continues an interrupted deletion. */
    static void ofProcessFolder(Path folder) throws IOException {
        Path lock = folder.resolve(Storage.LOCK);
        Files.walkFileTree(folder, new Deletion(lock));
        Files.deleteIfExists(lock);
        Files.deleteIfExists(folder);
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (!file.equals(kept)) {
            Files.deleteIfExists(file);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, IOException failure) throws IOException {
        if (!folder.equals(kept.getParent())) {
            Files.deleteIfExists(folder);
        }
        return FileVisitResult.CONTINUE;
    }
}
