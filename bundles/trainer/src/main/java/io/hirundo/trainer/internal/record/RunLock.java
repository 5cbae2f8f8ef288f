package io.hirundo.trainer.internal.record;

import io.hirundo.BusyException;
import io.hirundo.Reason;
import io.hirundo.StorageException;
import io.hirundo.lib.output.OutputFiles;
import io.hirundo.train.RunFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Takes the lock of a run's directory: an open file with a lock of the operating system, which a killed process gives back. Several runs
 * may start in the same directory at the same time, and one that could not start removes it again.
 */
final class RunLock {
    private static final int ATTEMPTS = 100;
    private static final int LARGEST_MARK = 1 << 16;

    private RunLock() {}

    /**
     * Creates the directory if there is none, and locks it. Closing the channel gives the lock back.
     *
     * @throws BusyException when another run holds it
     * @throws StorageException when the directory or the lock cannot be written
     */
    static FileChannel take(Path path) {
        try {
            // Parent directories stay: no other run removes them.
            Files.createDirectories(path.getParent());
            makeFolder(path);
        } catch (IOException failure) {
            throw new StorageException(
                    "run.directory: " + path + " cannot be created: " + reason(failure)
                            + "; give a folder that can be written to",
                    failure);
        }
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                var channel = tryToLock(path);
                if (channel.isPresent()) {
                    return channel.get();
                }
            }
        } catch (IOException failure) {
            Path lock = path.resolve(RunFolder.LOCK);
            throw new StorageException(
                    "run.directory: cannot write " + OutputFiles.explain(lock, OutputFiles.ofOpening(lock, failure)),
                    failure);
        }
        throw new BusyException(
                "run directory " + path + " appears and disappears: another run starts in it; try again");
    }

    /** Empty when another run that failed to start removed the folder or the lock file. */
    private static Optional<FileChannel> tryToLock(Path path) throws IOException {
        FileChannel channel;
        try {
            makeFolder(path);
            channel = FileChannel.open(
                    path.resolve(RunFolder.LOCK),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException folderRemoved) {
            return Optional.empty();
        }
        try {
            if (!isLocked(channel)) {
                throw new BusyException("run directory " + path
                        + " is in use by another run; wait for it to end, or give another run.name");
            }
            if (isStillAt(path.resolve(RunFolder.LOCK), channel)) {
                return Optional.of(channel);
            }
        } catch (IOException | BusyException failure) {
            channel.close();
            throw failure;
        }
        channel.close();
        return Optional.empty();
    }

    /** Creates the folder in an existing parent. Another run may remove it at any time, but not a file of that name. */
    private static void makeFolder(Path path) throws IOException {
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException conflict) {
            if (isInTheWay(path)) {
                throw conflict;
            }
        }
    }

    /** Reads the attributes once: between two reads another run could create and remove the folder. */
    private static boolean isInTheWay(Path path) throws IOException {
        try {
            return !Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                            .isDirectory()
                    && !Files.isDirectory(path);
        } catch (NoSuchFileException removed) {
            return false;
        }
    }

    /** File system exceptions often contain only a path. */
    private static String reason(IOException failure) {
        if (failure instanceof FileAlreadyExistsException conflict) {
            boolean isLink = Files.isSymbolicLink(Path.of(conflict.getFile()));
            return conflict.getFile() + (isLink ? " is a link to a missing target" : " is not a folder");
        }
        return failure instanceof NoSuchFileException rejection
                ? "cannot create " + rejection.getFile()
                : Reason.of(failure);
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    /**
     * A lock on a deleted file excludes nobody, so a write through the channel must show at the path. It compares the
     * size, because opening and closing the file again would release the process's lock on POSIX.
     */
    private static boolean isStillAt(Path file, FileChannel channel) throws IOException {
        int mark = ThreadLocalRandom.current().nextInt(1, LARGEST_MARK);
        channel.truncate(0);
        channel.write(ByteBuffer.allocate(mark));
        try {
            return Files.size(file) == mark;
        } catch (NoSuchFileException removed) {
            return false;
        }
    }
}
