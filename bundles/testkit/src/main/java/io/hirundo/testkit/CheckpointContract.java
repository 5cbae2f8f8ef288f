package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.OnDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** What a training asks of a {@link CheckpointStrategy} that keeps three checkpoints at least. One rank saves. */
public interface CheckpointContract extends OnDevice {
  /** The strategy under test, new or the same each time. */
  CheckpointStrategy strategy();

  @Clause(value = "What was saved comes back bit for bit, values too, to whoever opens the directory later",
      remedy = "how each type, a scalar and odd sizes are written, and what only the session that saved knows")
  default void stateComesBack(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder.resolve("checkpoints"));
    try (CheckpointSession session = trial.open()) {
      assertEquals(List.of(), session.list(), "checkpoints of a new run");
      assertEquals(100, session.save(trial.state(100, 1)).awaitDurable().step());
    }
    try (CheckpointSession session = trial.open()) {
      trial.requireLoads(session, session.list().getFirst(), trial.whole(2), 1);
    }
  }

  @Clause(value = "A checkpoint loads into another layout: pieces need not be those that were saved",
      remedy = "load(): find what overlaps by offsets in the whole tensor")
  default void anotherLayoutLoads(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      var rows = session.save(new TrainingState(1, trial.halves(0, 1), StateTrial.values(1))).awaitDurable();
      trial.requireLoads(session, rows, trial.halves(1, 2), 1);
      trial.requireLoads(session, rows, trial.whole(2), 1);
      var whole = session.save(trial.state(2, 3)).awaitDurable();
      trial.requireLoads(session, whole, trial.halves(0, 2), 3);
    }
  }

  @Clause(value = "Tensors may change as soon as save() returns", remedy = "copies that are made after save() has returned")
  default void tensorsMayChangeAfterSave(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      TrainingState state = trial.state(1, 1);
      var pending = session.save(state);
      trial.spoil(state.shards());
      trial.requireLoads(session, pending.awaitDurable(), trial.whole(2), 1);
      assertTrue(pending.isDurable(), "isDurable() after awaitDurable()");
    }
  }

  @Clause(value = "Checkpoints are listed newest first, and a step that is saved again replaces the former",
      remedy = "list(): by step, descending; the second save of a step")
  default void newestFirst(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      for (long step : List.of(9L, 10L, 100L)) {
        session.save(trial.state(step, (int) step)).awaitDurable();
      }
      session.save(trial.state(100, 5)).awaitDurable();
      assertEquals(List.of(100L, 10L, 9L), session.list().stream().map(CheckpointInfo::step).toList());
      trial.requireLoads(session, session.list().getFirst(), trial.whole(2), 5);
      trial.requireLoads(session, session.list().getLast(), trial.whole(2), 9);
    }
  }

  @Clause(value = "A session that is closed has saved what it was asked to", remedy = "close(): it waits for saves under way")
  default void closingWaits(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      session.save(trial.state(7, 1));
    }
    try (CheckpointSession session = trial.open()) {
      trial.requireLoads(session, session.list().getFirst(), trial.whole(2), 1);
    }
  }

  @Clause(value = "What is asked for and is not there as asked is refused by its name: no tensor, another shape, another type",
      remedy = "load(): a ConfigurationException that names the tensor; older checkpoints would be tried after a CheckpointException")
  default void whatIsNotThereIsRefused(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      CheckpointInfo saved = session.save(trial.state(1, 1)).awaitDurable();
      for (StateShard wanted :
          List.of(
              trial.of("model/c", DType.FP32, Shape.of(37, 53)),
              trial.of("model/a", DType.FP32, Shape.of(53, 37)),
              trial.of("model/a", DType.BF16, Shape.of(37, 53)))) {
        var failure = assertThrows(ConfigurationException.class, () -> session.load(saved, List.of(wanted)));
        assertTrue(failure.getMessage().contains(wanted.key()), "the message names no tensor: " + failure.getMessage());
      }
    }
  }

  @Clause(value = "A damaged checkpoint is refused, never loaded as if it were whole: a flipped bit, a file cut short or missing",
      remedy = "checksums over everything that is read, and sizes of files")
  default void damageIsFound(Bench bench, @TempDir Path folder) throws IOException {
    var trial = new StateTrial(bench, strategy(), folder);
    CheckpointInfo saved;
    try (CheckpointSession session = trial.open()) {
      saved = session.save(trial.state(1, 1)).awaitDurable();
    }
    List<Path> files;
    try (Stream<Path> found = Files.walk(saved.path())) {
      files = found.filter(Files::isRegularFile).sorted().toList();
    }
    int refused = 0;
    for (Path file : files) {
      byte[] sound = Files.readAllBytes(file);
      for (int at : List.of(sound.length / 3, sound.length - 1)) {
        byte[] flipped = sound.clone();
        flipped[Math.max(0, at)] ^= 4;
        Files.write(file, flipped);
        refused += refusals(trial, saved);
      }
      Files.write(file, Arrays.copyOf(sound, sound.length / 2));
      refused += refusals(trial, saved);
      Files.delete(file);
      refused += refusals(trial, saved);
      Files.write(file, sound);
    }
    assertTrue(refused > 0, "no damage to any of " + files + " was found");
    try (CheckpointSession session = trial.open()) {
      trial.requireLoads(session, saved, trial.whole(2), 1);
    }
  }

  /** 1 where the checkpoint is refused, 0 where it holds what it held: not every byte of a file need be read. */
  private static int refusals(StateTrial trial, CheckpointInfo saved) {
    try (CheckpointSession session = trial.open()) {
      trial.requireLoads(session, saved, trial.whole(2), 1);
      return 0;
    } catch (CheckpointException e) {
      return 1;
    }
  }

  @Clause(value = "A save that cannot be written fails with a CheckpointException and leaves nothing to be seen",
      remedy = "errors of the file system in save() and awaitDurable()")
  default void whatCannotBeWrittenFails(Bench bench, @TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "text");
    var trial = new StateTrial(bench, strategy(), file.resolve("checkpoints"));
    try (CheckpointSession session = trial.open()) {
      assertThrows(CheckpointException.class, () -> session.save(trial.state(1, 1)).awaitDurable());
    }
    assertEquals("text", Files.readString(file));
  }

  @Clause(value = "Saving and loading keep no memory of the device", remedy = "buffers of the device that are not closed")
  default void nothingIsKept(Bench bench, @TempDir Path folder) {
    var trial = new StateTrial(bench, strategy(), folder);
    try (CheckpointSession session = trial.open()) {
      for (int step = 1; step <= 3; step++) {
        trial.requireLoads(session, session.save(trial.state(step, step)).awaitDurable(), trial.whole(2), step);
      }
    }
    assertEquals(Map.of(), bench.heldByOthers());
  }
}
