package io.hirundo.launcher;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Removes temporary folders of killed processes while the command runs. Only touches a folder (not a link) that belongs to this
 * user alone and whose lock nobody holds.
 */
final class Leftovers {
    /** Longer than any {@link Storage#host()}. */
    private static final int HOST_BYTES = 1024;

    private static final Duration NEVER_WRITTEN_AFTER = Duration.ofHours(1);

    private final Path own;
    private final String host;
    private final BiConsumer<Path, IOException> failed;

    private Leftovers(Path own, BiConsumer<Path, IOException> failed) throws IOException {
        this.own = own;
        this.host = Storage.host();
        this.failed = failed;
    }

    /**
     * Runs on a daemon thread that ends with the process; the next start continues.
     *
     * @param failed receives each folder that cannot be removed
     */
    static void removeNextTo(Path own, BiConsumer<Path, IOException> failed) {
        Thread thread = new Thread(
                () -> {
                    try {
                        new Leftovers(own, failed).remove();
                    } catch (IOException e) {
                        failed.accept(own.getParent(), e);
                    }
                },
                "hirundo-leftovers");
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.start();
    }

    /** Continues with the other folders if one cannot be removed. */
    private void remove() throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(own.getParent(), Storage.PREFIX + "*")) {
            for (Path folder : folders) {
                // Skip this process's own folder: opening and closing its locked file again would release the lock.
                if (!folder.equals(own)) {
                    try {
                        removeIfLeft(folder);
                    } catch (IOException e) {
                        failed.accept(folder, e);
                    }
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private void removeIfLeft(Path folder) throws IOException {
        try {
            if (!Storage.isOwn(folder)) {
                return;
            }
            Path lock = folder.resolve(Storage.LOCK);
            if (!Files.isRegularFile(lock, LinkOption.NOFOLLOW_LINKS)) {
                // Killed before it created the file, or about to create it: that process then makes another folder.
                // Keep a folder with any content.
                Files.delete(folder);
                return;
            }
            try (FileChannel channel = FileChannel.open(
                    lock, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
                if (isFree(channel)) {
                    if (isOfThisHost(channel)) {
                        Deletion.ofProcessFolder(folder);
                    } else if (wasNeverWritten(channel, lock)) {
                        Files.delete(lock);
                        // Keep a folder with other content.
                        Files.delete(folder);
                    }
                }
            }
        } catch (NoSuchFileException | DirectoryNotEmptyException goneOrNotOurs) {
            // Another start removes it at this moment, or it is not such a folder.
        }
    }

    private static boolean isFree(FileChannel channel) {
        try {
            // Held until the channel is closed, after the folder is deleted.
            return channel.tryLock() != null;
        } catch (IOException noLocksOnThisFileSystem) {
            return false;
        }
    }

    /** Whether a killed process never wrote its host, on whichever machine: writing takes a moment, not an hour. */
    private static boolean wasNeverWritten(FileChannel channel, Path lock) throws IOException {
        Instant made =
                Files.getLastModifiedTime(lock, LinkOption.NOFOLLOW_LINKS).toInstant();
        return channel.size() == 0 && made.isBefore(Instant.now().minus(NEVER_WRITTEN_AFTER));
    }

    private boolean isOfThisHost(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(HOST_BYTES);
        channel.read(bytes, 0);
        String holder = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        List<String> its = holder.lines().toList();
        List<String> ours = host.lines().toList();
        return its.size() == ours.size()
                && (its.getFirst().equals(ours.getFirst()) || its.getLast().equals(ours.getLast()));
    }
}
