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
 * How ranks that write in the background learn of each other, where no collective may be: by the files in the save's folder. A rank
 * has written when its part is there, the save has ended well when the folder has its final name, and it has failed when a file
 * {@code failed} is there, which says why.
 */
final class Agreement {
    private static final String FAILED = "failed";
    private static final int MOST_REASON_BYTES = 1 << 20;
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** While a rank writes. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Path folder;
    private final int rank;
    private final FileOperations files;
    private final SaveTimeout patience;
    private long lookedNanos = System.nanoTime();

    /** {@code folder}: of the save under way. */
    Agreement(Path folder, int rank, FileOperations files, SaveTimeout patience) {
        this.folder = folder;
        this.rank = rank;
        this.files = files;
        this.patience = patience;
    }

    /** Rank 0 waits for the parts of all. */
    void awaitParts(int ranks) throws IOException {
        for (int other = 0; other < ranks; other++) {
            Path part = RankWriter.partFile(folder, other);
            await(() -> Files.exists(part), "rank " + other, patience::seconds);
        }
        requireNoFailure();
    }

    /** The others wait for rank 0's decision; longer than it needs to find, and say, who is missing: that is two periods at most. */
    void awaitDecision() throws IOException {
        await(() -> !Files.exists(folder), "rank 0", () -> 3 * patience.seconds());
    }

    /** Every now and then while a rank writes: what cannot become a checkpoint is not written to its end. */
    void look() throws IOException {
        if (System.nanoTime() - lookedNanos > LOOK_NANOS) {
            lookedNanos = System.nanoTime();
            requireNoFailure();
        }
    }

    /** Throws the reason that another rank has left. */
    void requireNoFailure() throws IOException {
        try {
            throw new CheckpointException(InputFiles.readString(folder.resolve(FAILED), MOST_REASON_BYTES));
        } catch (NoSuchFileException none) {
            // Nobody has failed.
        }
    }

    private void await(BooleanSupplier condition, String who, LongSupplier patienceSeconds) throws IOException {
        long pauseNanos = SHORTEST_PAUSE_NANOS;
        long sinceNanos = System.nanoTime();
        long seenBytes = bytesThere();
        while (!condition.getAsBoolean()) {
            requireNoFailure();
            long seconds = patienceSeconds.getAsLong();
            if (System.nanoTime() - sinceNanos > TimeUnit.SECONDS.toNanos(seconds)) {
                long bytes = bytesThere();
                if (bytes == seenBytes) {
                    throw new CheckpointException(
                            who + " did not come to the end of its share, and nobody has written anything for "
                                    + seconds + " s: it has gone, or does not share the folder");
                }
                seenBytes = bytes;
                sinceNanos = System.nanoTime();
            }
            pause(pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    /** Grows while any rank writes. */
    private long bytesThere() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.mapToLong(entry -> 1 + entry.toFile().length()).sum();
        } catch (NoSuchFileException decided) {
            return -1;
        }
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
    }

    /** Tells the others why there will be no checkpoint. */
    void fail(String reason) throws IOException {
        Path fresh = folder.resolve(FAILED + "-" + rank);
        try (FileOperations.Output output = files.createFile(fresh)) {
            output.write(ByteBuffer.wrap(("rank " + rank + ": " + reason).getBytes(StandardCharsets.UTF_8)), 0);
        }
        files.rename(fresh, folder.resolve(FAILED));
    }

    /** Rank 0 makes room, but leaves what the others have to know. */
    void empty() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path entry : entries.filter(path -> !path.endsWith(FAILED)).toList()) {
                files.delete(entry);
            }
        }
    }
}
