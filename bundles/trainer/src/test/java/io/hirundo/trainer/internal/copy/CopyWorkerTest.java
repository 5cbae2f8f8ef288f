package io.hirundo.trainer.internal.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.event.CheckpointEvent.CheckpointCopied;
import io.hirundo.event.CheckpointEvent.CheckpointNotCopied;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CopyWorkerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    private Path folder;

    private final Copies copies = new Copies();

    /** A store that only remembers names. */
    private static class Copies implements StoreSession {
        final List<StoredCheckpoint> there = new CopyOnWriteArrayList<>();

        @Override
        public String place() {
            return "away";
        }

        @Override
        public List<StoredCheckpoint> list() {
            return there.stream()
                    .sorted(Comparator.comparingLong(StoredCheckpoint::step).reversed())
                    .toList();
        }

        @Override
        public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
            there.add(new StoredCheckpoint(checkpoint.path().getFileName().toString(), checkpoint.step(), 1));
        }

        @Override
        public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(StoredCheckpoint copy) {
            there.remove(copy);
        }

        @Override
        public void close() {}
    }

    private CheckpointInfo checkpoint(long step) throws IOException {
        Path path = Files.createDirectories(folder.resolve("checkpoints").resolve("step-" + step));
        Files.writeString(path.resolve("data"), "of step " + step);
        return new CheckpointInfo(path, step, 9);
    }

    private CopyWorker worker(StoreSession session, int keepCopies, Duration... pauses) {
        return new CopyWorker(session, keepCopies, folder.resolve("copying"), List.of(pauses));
    }

    private List<Long> steps() {
        return copies.list().stream().map(StoredCheckpoint::step).toList();
    }

    @Test
    void retriesFailedCopies() throws IOException {
        var attempts = new AtomicInteger();
        var unsteady = new Copies() {
            @Override
            public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                if (attempts.incrementAndGet() < 3) {
                    throw new StoreException("the store says 503");
                }
            }
        };
        try (var worker = worker(unsteady, 0, Duration.ofMillis(1), Duration.ofMillis(1))) {
            worker.offer(checkpoint(1));
            assertTrue(worker.awaitIdle(LONG));
            assertInstanceOf(CheckpointCopied.class, worker.events().getLast());
            assertEquals(3, attempts.get());
        }
    }

    @Test
    void warnsOnceThatFilesCannotBeLinked() throws IOException {
        var logger = Logger.getLogger(HeldFolder.class.getName());
        var levels = new CopyOnWriteArrayList<Level>();
        logger.setFilter(message -> {
            if (message.getMessage().startsWith("cannot hard-link " + folder)) {
                levels.add(message.getLevel());
            }
            return false;
        });
        try (var worker = worker(copies, 0)) {
            // No folder can be created behind a link.
            Files.createSymbolicLink(folder.resolve("copying"), Files.createDirectory(folder.resolve("elsewhere")));
            for (long step = 1; step <= 3; step++) {
                worker.offer(checkpoint(step));
                assertTrue(worker.awaitIdle(LONG));
            }
            assertEquals(List.of(1L, 2L, 3L), steps().reversed());
            assertEquals(List.of(Level.WARNING, Level.INFO, Level.INFO), levels);
        } finally {
            logger.setFilter(null);
        }
    }

    @Test
    void doesNotRetryUnreadableCheckpoints() throws IOException {
        var attempts = new AtomicInteger();
        var unreadable = new Copies() {
            @Override
            public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                attempts.incrementAndGet();
                throw new CheckpointException("data cannot be read: Input/output error");
            }
        };
        try (var worker = worker(unreadable, 0, Duration.ofMillis(1), Duration.ofMillis(1))) {
            worker.offer(checkpoint(1));
            assertTrue(worker.awaitIdle(LONG));
            assertEquals(1, attempts.get());
            assertEquals(
                    List.of(new CheckpointNotCopied(1, "away", "data cannot be read: Input/output error")),
                    worker.events());
            assertEquals(1, worker.missing().orElseThrow().step());
        }
    }

    @Test
    void givesUpAfterRetriesAndCopiesTheNextCheckpoint() throws IOException {
        var unsteady = new Copies() {
            @Override
            public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                if (checkpoint.step() == 1) {
                    throw new StoreException("the store says 503");
                }
            }
        };
        try (var worker = worker(unsteady, 0, Duration.ofMillis(1))) {
            CheckpointInfo first = checkpoint(1);
            worker.offer(first);
            assertTrue(worker.awaitIdle(LONG));
            assertEquals(
                    List.of(new CheckpointNotCopied(
                            1,
                            "away",
                            "the store says 503; given up after 2 attempts; the next checkpoint is tried again")),
                    worker.events());
            assertEquals(first, worker.missing().orElseThrow());
            worker.offer(checkpoint(2));
            assertTrue(worker.awaitIdle(LONG));
            assertTrue(worker.missing().isEmpty());
        }
    }

    @Test
    void skipsOlderCheckpointsIfCopyingIsSlow() throws Exception {
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var slow = new Copies() {
            @Override
            public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new StoreException("interrupted", e);
                }
                copies.put(checkpoint, doneBytes);
            }
        };
        try (var worker = worker(slow, 0)) {
            worker.offer(checkpoint(1));
            begun.await();
            for (long step = 2; step <= 4; step++) {
                worker.offer(checkpoint(step));
            }
            assertFalse(worker.awaitIdle(Duration.ofMillis(1)));
            go.countDown();
            assertTrue(worker.awaitIdle(LONG));
            var left = new ArrayList<Long>();
            worker.events()
                    .forEach(event -> left.add(event instanceof CheckpointNotCopied missing ? missing.step() : 0L));
            assertEquals(List.of(2L, 3L, 0L, 0L), left);
        }
        assertEquals(List.of(4L, 1L), steps());
    }

    @Test
    void closeCancelsTheCopyAndRemovesItsLinks() throws Exception {
        var begun = new CountDownLatch(1);
        var stuck = new Copies() {
            @Override
            public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new StoreException("interrupted", e);
                }
            }
        };
        CheckpointInfo checkpoint = checkpoint(1);
        CheckpointInfo next = checkpoint(2);
        var worker = worker(stuck, 0, LONG);
        worker.offer(checkpoint);
        begun.await();
        worker.offer(next);
        worker.close();
        assertEquals(next, worker.missing().orElseThrow());
        assertEquals(
                List.of(1L, 2L),
                worker.events().stream()
                        .map(event -> ((CheckpointNotCopied) event).step())
                        .toList());
        assertTrue(Files.exists(checkpoint.path().resolve("data")));
        try (var room = Files.list(folder.resolve("copying"))) {
            assertEquals(List.of(), room.toList());
        }
    }

    @Test
    void deletesOldCopiesAndThoseOfAnAbandonedTimeline() throws IOException {
        for (long step : List.of(1, 2, 3, 8, 9)) {
            copies.put(checkpoint(step), done -> {});
        }
        copies.there.add(new StoredCheckpoint("step-4.r0", 4, 1));
        try (var worker = worker(copies, 3)) {
            worker.offer(checkpoint(4));
            assertTrue(worker.awaitIdle(LONG));
        }
        assertEquals(List.of(4L, 3L, 2L), steps());
        assertFalse(copies.list().getFirst().name().endsWith("r0"));
    }

    @Test
    void removesLinksOfAKilledRun() throws IOException {
        Path left = Files.createDirectories(folder.resolve("copying/0/step-1"));
        Files.writeString(left.resolve("data"), "x");
        worker(copies, 0).close();
        assertFalse(Files.exists(left));
    }
}
