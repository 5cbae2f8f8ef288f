package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.StoreException;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.checkpoint.StoreFixture;
import io.hirundo.testkit.checkpoint.StoredBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;

/** Contract tests for a {@link CheckpointStore} that keeps at least three copies. */
public interface CheckpointStoreContract {
    /** The store under test: the same location on each call, empty when a test starts. */
    CheckpointStore store();

    /** Access to the stored bytes, so that clauses can damage them. */
    StoredBytes stored();

    @Clause(
            value = "A later session gets a copy bitwise, including files in subfolders and empty files",
            remedy = "put() and get(): every file below the folder, by its relative name")
    default void copiesComeBack(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            assertEquals(List.of(), session.list(), "copies of a new run");
            session.put(fixture.checkpoint(100, 1), done -> {});
        }
        try (StoreSession session = fixture.open()) {
            StoredCheckpoint copy = session.list().getFirst();
            assertEquals(fixture.checkpoint(100, 1).bytes(), copy.bytes(), "bytes of the copy");
            fixture.requireSame(session, copy, 1);
        }
    }

    @Clause(
            value =
                    "A run's copies are listed newest first, by step and not in put() order; copies of other runs are not listed",
            remedy = "list(): sort by step, descending; only copies of the opened run")
    default void newestFirst(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open();
                StoreSession other = store().open(StoreFixture.RUN + "-2")) {
            for (long step : List.of(10L, 9L, 100L)) {
                session.put(fixture.checkpoint(step, (int) step), done -> {});
            }
            assertEquals(
                    List.of(100L, 10L, 9L),
                    session.list().stream().map(StoredCheckpoint::step).toList());
            assertEquals(List.of(), other.list(), "copies of another run");
        }
    }

    @Clause(
            value = "Putting a checkpoint again replaces the copy of the same name",
            remedy = "put(): how copies are named, and leftovers of the earlier copy")
    default void newContentsReplaceOld(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            session.put(fixture.checkpoint(5, 1), done -> {});
            int objects = stored().all().size();
            session.put(fixture.checkpoint(5, 2), done -> {});
            assertEquals(1, session.list().size());
            fixture.requireSame(session, session.list().getFirst(), 2);
            assertEquals(objects, stored().all().size(), "stored objects after a copy was replaced");
        }
    }

    @Clause(
            value =
                    "An interrupted copy is not listed and hides no other copy; put() resumes it and leaves nothing behind",
            remedy = "put(): must make the copy visible last, end on an interrupt, and remove leftovers")
    default void cutOffCopiesAreNotSeen(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            session.put(fixture.checkpoint(5, 1), done -> {});
            int objects = stored().all().size();
            var caller = Thread.currentThread();
            assertThrows(StoreException.class, () -> session.put(fixture.checkpoint(5, 2), done -> caller.interrupt()));
            Thread.interrupted();
            assertEquals(1, session.list().size());
            fixture.requireSame(session, session.list().getFirst(), 1);
            session.put(fixture.checkpoint(5, 2), done -> {});
            fixture.requireSame(session, session.list().getFirst(), 2);
            assertEquals(objects, stored().all().size(), "stored objects after an interrupted copy was resumed");
        }
    }

    @Clause(
            value = "A deleted copy is not listed and uses no storage",
            remedy = "delete(): must delete everything that put() stored")
    default void deletedCopiesAreGone(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            session.put(fixture.checkpoint(5, 1), done -> {});
            int objects = stored().all().size();
            session.put(fixture.checkpoint(6, 2), done -> {});
            session.delete(session.list().getFirst());
            assertEquals(
                    List.of(5L),
                    session.list().stream().map(StoredCheckpoint::step).toList());
            fixture.requireSame(session, session.list().getFirst(), 1);
            assertEquals(objects, stored().all().size(), "stored objects after a copy was deleted");
        }
    }

    @Clause(
            value =
                    "Damage is detected: after a flipped bit, a truncation or a loss, a copy is not listed or get() rejects it",
            remedy = "checksums over everything that get() reads; lengths in list()")
    default void damageIsFound(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            session.put(fixture.checkpoint(5, 1), done -> {});
            StoredCheckpoint copy = session.list().getFirst();
            for (var sound : stored().all().entrySet()) {
                byte[] bytes = sound.getValue();
                if (bytes.length > 0) {
                    byte[] flipped = bytes.clone();
                    flipped[bytes.length / 2] ^= 4;
                    stored().write(sound.getKey(), flipped);
                    fixture.requireRejected(session, copy, "a flipped bit in " + sound.getKey());
                    stored().write(sound.getKey(), Arrays.copyOf(bytes, bytes.length / 2));
                    fixture.requireRejected(session, copy, sound.getKey() + " truncated");
                }
                stored().delete(sound.getKey());
                fixture.requireRejected(session, copy, sound.getKey() + " missing");
                assertTrue(session.list().isEmpty(), "a copy is listed although it lacks " + sound.getKey());
                stored().write(sound.getKey(), bytes);
            }
            fixture.requireSame(session, copy, 1);
        }
    }

    @Clause(
            value = "Putting a damaged copy again repairs it",
            remedy = "put(): how it decides that an object is already stored")
    default void puttingAgainRepairs(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            session.put(fixture.checkpoint(5, 1), done -> {});
            for (var sound : stored().all().entrySet()) {
                stored().delete(sound.getKey());
                session.put(fixture.checkpoint(5, 1), done -> {});
                fixture.requireSame(session, session.list().getFirst(), 1);
                assertArrayEquals(sound.getValue(), stored().all().get(sound.getKey()), sound.getKey());
            }
        }
    }

    @Clause(
            value = "Progress is reported up to the size of the copy",
            remedy = "doneBytes: the largest reported value must be the total number of bytes")
    default void reportsProgress(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            var largest = new AtomicLong();
            session.put(fixture.checkpoint(5, 1), done -> largest.accumulateAndGet(done, Math::max));
            StoredCheckpoint copy = session.list().getFirst();
            assertEquals(copy.bytes(), largest.getAndSet(0), "bytes reported by put()");
            session.get(
                    copy,
                    Files.createDirectory(folder.resolve("fetched")),
                    done -> largest.accumulateAndGet(done, Math::max));
            assertEquals(copy.bytes(), largest.get(), "bytes reported by get()");
        }
    }

    @Clause(
            value = "A checkpoint that cannot be read fails with a CheckpointException, and nothing becomes visible",
            remedy = "file errors in put()")
    default void whatCannotBeReadFails(@TempDir Path folder) throws IOException {
        var fixture = new StoreFixture(folder, store());
        try (StoreSession session = fixture.open()) {
            var gone = fixture.checkpoint(5, 1);
            for (Path file : new ArrayList<>(fixture.files(gone.path()))) {
                Files.delete(file);
            }
            Files.delete(gone.path().resolve("below"));
            Files.delete(gone.path());
            assertThrows(CheckpointException.class, () -> session.put(gone, done -> {}));
            assertEquals(List.of(), session.list());
        }
    }
}
