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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;

/** What a training asks of a {@link CheckpointStore} that keeps three copies at least. */
public interface CheckpointStoreContract {
  /** The store under test; the same place each time, empty at a test's begin. */
  CheckpointStore store();

  /** What the store has stored, to be damaged. */
  StoredBytes stored();

  /** All that lies in a store, by names of the store's own. */
  interface StoredBytes {
    /** As it is now. */
    Map<String, byte[]> all();

    /** Puts bytes in the place of others. */
    void write(String name, byte[] bytes);

    /** Takes something away. */
    void delete(String name);
  }

  @Clause(value = "A copy comes back bit for bit, files in folders and empty ones too, to whoever opens the store later",
      remedy = "put() and get(): every file below the folder, by its relative name")
  default void copiesComeBack(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      assertEquals(List.of(), session.list(), "copies of a new run");
      session.put(trial.checkpoint(100, 1), done -> {});
    }
    try (StoreSession session = trial.open()) {
      StoredCheckpoint copy = session.list().getFirst();
      assertEquals(trial.checkpoint(100, 1).bytes(), copy.bytes(), "bytes of the copy");
      trial.requireSame(session, copy, 1);
    }
  }

  @Clause(value = "Copies are listed newest first, by step and not by the order in which they were put; one run's are not another's",
      remedy = "list(): by step, descending, of the run that was opened")
  default void newestFirst(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open(); StoreSession other = store().open(StoreTrial.RUN + "-2")) {
      for (long step : List.of(10L, 9L, 100L)) {
        session.put(trial.checkpoint(step, (int) step), done -> {});
      }
      assertEquals(List.of(100L, 10L, 9L), session.list().stream().map(StoredCheckpoint::step).toList());
      assertEquals(List.of(), other.list(), "copies of another run");
    }
  }

  @Clause(value = "A checkpoint that is put again takes the place of the copy of its name",
      remedy = "put(): what names the copy, and what remains of the one before")
  default void newContentsReplaceOld(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      session.put(trial.checkpoint(5, 1), done -> {});
      int objects = stored().all().size();
      session.put(trial.checkpoint(5, 2), done -> {});
      assertEquals(1, session.list().size());
      trial.requireSame(session, session.list().getFirst(), 2);
      assertEquals(objects, stored().all().size(), "what is stored, after a copy has taken another's place");
    }
  }

  @Clause(value = "A copy that was cut off is not listed and hides nothing; put() then takes it up, and nothing of it is left over",
      remedy = "put(): what makes a copy visible comes last; an interrupt ends it; leftovers are removed")
  default void cutOffCopiesAreNotSeen(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      session.put(trial.checkpoint(5, 1), done -> {});
      int objects = stored().all().size();
      var caller = Thread.currentThread();
      assertThrows(StoreException.class, () -> session.put(trial.checkpoint(5, 2), done -> caller.interrupt()));
      Thread.interrupted();
      assertEquals(1, session.list().size());
      trial.requireSame(session, session.list().getFirst(), 1);
      session.put(trial.checkpoint(5, 2), done -> {});
      trial.requireSame(session, session.list().getFirst(), 2);
      assertEquals(objects, stored().all().size(), "what is stored, after a copy that was cut off was taken up");
    }
  }

  @Clause(value = "What is deleted is not listed any more, and takes no room", remedy = "delete(): all that put() has stored")
  default void deletedCopiesAreGone(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      session.put(trial.checkpoint(5, 1), done -> {});
      int objects = stored().all().size();
      session.put(trial.checkpoint(6, 2), done -> {});
      session.delete(session.list().getFirst());
      assertEquals(List.of(5L), session.list().stream().map(StoredCheckpoint::step).toList());
      trial.requireSame(session, session.list().getFirst(), 1);
      assertEquals(objects, stored().all().size(), "what is stored, after a copy was deleted");
    }
  }

  @Clause(value = "Damage is found: a flipped bit, something cut short or missing; a damaged copy is not listed, or refused",
      remedy = "checksums over everything that get() reads; lengths in list()")
  default void damageIsFound(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      session.put(trial.checkpoint(5, 1), done -> {});
      StoredCheckpoint copy = session.list().getFirst();
      for (var sound : stored().all().entrySet()) {
        byte[] bytes = sound.getValue();
        if (bytes.length > 0) {
          byte[] flipped = bytes.clone();
          flipped[bytes.length / 2] ^= 4;
          stored().write(sound.getKey(), flipped);
          trial.requireRefused(session, copy, "a flipped bit in " + sound.getKey());
          stored().write(sound.getKey(), Arrays.copyOf(bytes, bytes.length / 2));
          trial.requireRefused(session, copy, sound.getKey() + " cut short");
        }
        stored().delete(sound.getKey());
        trial.requireRefused(session, copy, sound.getKey() + " missing");
        assertTrue(session.list().isEmpty(), "a copy is listed that lacks " + sound.getKey());
        stored().write(sound.getKey(), bytes);
      }
      trial.requireSame(session, copy, 1);
    }
  }

  @Clause(value = "What was damaged in the store is put right by putting it again", remedy = "put(): what it takes for stored already")
  default void puttingAgainRepairs(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      session.put(trial.checkpoint(5, 1), done -> {});
      for (var sound : stored().all().entrySet()) {
        stored().delete(sound.getKey());
        session.put(trial.checkpoint(5, 1), done -> {});
        trial.requireSame(session, session.list().getFirst(), 1);
        assertArrayEquals(sound.getValue(), stored().all().get(sound.getKey()), sound.getKey());
      }
    }
  }

  @Clause(value = "Progress is told up to the bytes of the copy", remedy = "doneBytes: the largest figure is that of all bytes")
  default void progressIsTold(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      var largest = new AtomicLong();
      session.put(trial.checkpoint(5, 1), done -> largest.accumulateAndGet(done, Math::max));
      StoredCheckpoint copy = session.list().getFirst();
      assertEquals(copy.bytes(), largest.getAndSet(0), "bytes that put() told");
      session.get(copy, Files.createDirectory(folder.resolve("fetched")), done -> largest.accumulateAndGet(done, Math::max));
      assertEquals(copy.bytes(), largest.get(), "bytes that get() told");
    }
  }

  @Clause(value = "A checkpoint that cannot be read fails with a CheckpointException, and nothing becomes visible",
      remedy = "errors of files in put()")
  default void whatCannotBeReadFails(@TempDir Path folder) throws IOException {
    var trial = new StoreTrial(folder, store());
    try (StoreSession session = trial.open()) {
      var gone = trial.checkpoint(5, 1);
      for (Path file : new ArrayList<>(trial.files(gone.path()))) {
        Files.delete(file);
      }
      Files.delete(gone.path().resolve("below"));
      Files.delete(gone.path());
      assertThrows(CheckpointException.class, () -> session.put(gone, done -> {}));
      assertEquals(List.of(), session.list());
    }
  }
}
