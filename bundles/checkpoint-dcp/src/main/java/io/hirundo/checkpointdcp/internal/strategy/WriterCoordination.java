package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.CheckpointException;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.save.RankWriter;
import io.hirundo.lib.input.InputFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * How the writer threads of all ranks coordinate without collectives: by files in the folder of the save. A rank has written when its
 * part file exists. The save is committed when rank 0 has renamed the folder. The save has failed when the file {@code failed} exists,
 * which holds the reason.
 */
final class WriterCoordination {
    private static final String FAILED = "failed";
    private static final int MAX_REASON_BYTES = 1 << 20;
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Interval at which a rank that writes looks for failures of others. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Path folder;
    private final int rank;
    private final FileOperations files;
    private final SaveTimeout timeout;
    private long lastPollNanos = System.nanoTime();

    /** {@code folder}: of the save in progress. */
    WriterCoordination(Path folder, int rank, FileOperations files, SaveTimeout timeout) {
        this.folder = folder;
        this.rank = rank;
        this.files = files;
        this.timeout = timeout;
    }

    /** Rank 0 waits until all ranks have written their part files. */
    void awaitParts(int ranks) throws IOException {
        for (int other = 0; other < ranks; other++) {
            Path part = RankWriter.partFile(folder, other);
            await(() -> Files.exists(part), "rank " + other, timeout::seconds);
        }
        requireNoFailure();
    }

    /**
     * The other ranks wait until rank 0 has renamed the folder. They wait three times as long, because rank 0 needs up to two timeouts
     * to notice a missing rank and to report it.
     */
    void awaitCommit() throws IOException {
        await(() -> !Files.exists(folder), "rank 0", () -> 3 * timeout.seconds());
    }

    /** Stops a rank that is still writing once another has failed. Looks for the file at most every {@link #POLL_NANOS}. */
    void pollFailure() throws IOException {
        if (System.nanoTime() - lastPollNanos > POLL_NANOS) {
            lastPollNanos = System.nanoTime();
            requireNoFailure();
        }
    }

    /** Throws the reason that another rank has reported, if any. */
    void requireNoFailure() throws IOException {
        try {
            throw new CheckpointException(InputFiles.readString(folder.resolve(FAILED), MAX_REASON_BYTES));
        } catch (NoSuchFileException e) {
            // No rank has failed.
        }
    }

    /** Polls the condition. Times out when no rank has written anything for so long, so a slow disk alone is no failure. */
    private void await(BooleanSupplier condition, String who, LongSupplier timeoutSeconds) throws IOException {
        long pauseNanos = MIN_PAUSE_NANOS;
        long lastProgressNanos = System.nanoTime();
        long lastBytes = progressBytes();
        while (!condition.getAsBoolean()) {
            requireNoFailure();
            long seconds = timeoutSeconds.getAsLong();
            if (System.nanoTime() - lastProgressNanos > TimeUnit.SECONDS.toNanos(seconds)) {
                long bytes = progressBytes();
                if (bytes == lastBytes) {
                    throw new CheckpointException(
                            who + " did not come to the end of its share, and nobody has written anything for "
                                    + seconds + " s: it has gone, or does not share the folder");
                }
                lastBytes = bytes;
                lastProgressNanos = System.nanoTime();
            }
            pause(pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
        }
    }

    /** Bytes and number of files in the folder, which grow while any rank writes; -1 once the folder is renamed. */
    private long progressBytes() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.mapToLong(entry -> 1 + entry.toFile().length()).sum();
        } catch (NoSuchFileException e) {
            return -1;
        }
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports to the other ranks why the save failed. Written under another name first, so that they read the complete reason. */
    void reportFailure(String reason) throws IOException {
        Path temporary = folder.resolve(FAILED + "-" + rank);
        try (FileOperations.Output output = files.createFile(temporary)) {
            output.write(ByteBuffer.wrap(("rank " + rank + ": " + reason).getBytes(StandardCharsets.UTF_8)), 0);
        }
        files.rename(temporary, folder.resolve(FAILED));
    }

    /** Rank 0 frees the space of a failed save, but keeps the reason, which other ranks have yet to read. */
    void deleteAllButFailure() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.filter(path -> !path.endsWith(FAILED)).toList()) {
                files.delete(entry);
            }
        }
    }
}
