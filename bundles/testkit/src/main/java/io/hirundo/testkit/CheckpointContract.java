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
import io.hirundo.testkit.checkpoint.StateFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Contract tests for a {@link CheckpointStrategy} that keeps at least three checkpoints. One rank saves. */
public interface CheckpointContract extends OnDevice {
    /** The strategy under test; may be the same object on each call. */
    CheckpointStrategy strategy();

    @Clause(
            value = "A later session loads tensors and values bitwise as they were saved",
            remedy = "how each dtype, scalars and odd sizes are written; state that only the saving session holds")
    default void stateComesBack(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder.resolve("checkpoints"));
        try (CheckpointSession session = fixture.open()) {
            assertEquals(List.of(), session.list(), "checkpoints of a new run");
            assertEquals(100, session.save(fixture.state(100, 1)).awaitDurable().step());
        }
        try (CheckpointSession session = fixture.open()) {
            fixture.requireLoads(session, session.list().getFirst(), fixture.whole(2), 1);
        }
    }

    @Clause(
            value = "A checkpoint loads into another layout: shards may differ from the saved ones",
            remedy = "load(): find overlapping shards by their offsets in the global tensor")
    default void anotherLayoutLoads(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            var rows = session.save(new TrainingState(1, fixture.halves(0, 1), StateFixture.values(1)))
                    .awaitDurable();
            fixture.requireLoads(session, rows, fixture.halves(1, 2), 1);
            fixture.requireLoads(session, rows, fixture.whole(2), 1);
            var whole = session.save(fixture.state(2, 3)).awaitDurable();
            fixture.requireLoads(session, whole, fixture.halves(0, 2), 3);
        }
    }

    @Clause(value = "Tensors may change as soon as save() returns", remedy = "copies made after save() has returned")
    default void tensorsMayChangeAfterSave(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            TrainingState state = fixture.state(1, 1);
            var pending = session.save(state);
            fixture.spoil(state.shards());
            fixture.requireLoads(session, pending.awaitDurable(), fixture.whole(2), 1);
            assertTrue(pending.isDurable(), "isDurable() after awaitDurable()");
        }
    }

    @Clause(
            value = "Checkpoints are listed newest first; saving a step again replaces its earlier checkpoint",
            remedy = "list(): sort by step, descending; a second save of the same step")
    default void newestFirst(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            for (long step : List.of(9L, 10L, 100L)) {
                session.save(fixture.state(step, (int) step)).awaitDurable();
            }
            session.save(fixture.state(100, 5)).awaitDurable();
            assertEquals(
                    List.of(100L, 10L, 9L),
                    session.list().stream().map(CheckpointInfo::step).toList());
            fixture.requireLoads(session, session.list().getFirst(), fixture.whole(2), 5);
            fixture.requireLoads(session, session.list().getLast(), fixture.whole(2), 9);
        }
    }

    @Clause(value = "Closing a session completes its pending saves", remedy = "close(): must wait for pending saves")
    default void closingWaits(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            session.save(fixture.state(7, 1));
        }
        try (CheckpointSession session = fixture.open()) {
            fixture.requireLoads(session, session.list().getFirst(), fixture.whole(2), 1);
        }
    }

    @Clause(
            value = "load() rejects a missing tensor, another shape and another dtype, and names the tensor",
            remedy =
                    "load(): throw a ConfigurationException that names the tensor; a CheckpointException would make the run try older ones")
    default void rejectsMissingTensors(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            CheckpointInfo saved = session.save(fixture.state(1, 1)).awaitDurable();
            for (StateShard wanted : List.of(
                    fixture.of("model/c", DType.FP32, Shape.of(37, 53)),
                    fixture.of("model/a", DType.FP32, Shape.of(53, 37)),
                    fixture.of("model/a", DType.BF16, Shape.of(37, 53)))) {
                var failure = assertThrows(ConfigurationException.class, () -> session.load(saved, List.of(wanted)));
                assertTrue(
                        failure.getMessage().contains(wanted.key()),
                        "the message does not name the tensor: " + failure.getMessage());
            }
        }
    }

    @Clause(
            value =
                    "A damaged checkpoint is rejected, never loaded as if complete: a flipped bit, a truncated or missing file",
            remedy = "checksums over everything that is read, and file sizes")
    default void damageIsFound(Bench bench, @TempDir Path folder) throws IOException {
        var fixture = new StateFixture(bench, strategy(), folder);
        CheckpointInfo saved;
        try (CheckpointSession session = fixture.open()) {
            saved = session.save(fixture.state(1, 1)).awaitDurable();
        }
        List<Path> files;
        try (Stream<Path> found = Files.walk(saved.path())) {
            files = found.filter(Files::isRegularFile).sorted().toList();
        }
        int rejected = 0;
        for (Path file : files) {
            byte[] sound = Files.readAllBytes(file);
            for (int at : List.of(sound.length / 3, sound.length - 1)) {
                byte[] flipped = sound.clone();
                flipped[Math.max(0, at)] ^= 4;
                Files.write(file, flipped);
                rejected += rejections(fixture, saved);
            }
            Files.write(file, Arrays.copyOf(sound, sound.length / 2));
            rejected += rejections(fixture, saved);
            Files.delete(file);
            rejected += rejections(fixture, saved);
            Files.write(file, sound);
        }
        assertTrue(rejected > 0, "no damage to any of " + files + " was detected");
        try (CheckpointSession session = fixture.open()) {
            fixture.requireLoads(session, saved, fixture.whole(2), 1);
        }
    }

    /** 1 if the checkpoint is rejected, 0 if it loads the saved values: a strategy need not read every byte of a file. */
    private static int rejections(StateFixture fixture, CheckpointInfo saved) {
        try (CheckpointSession session = fixture.open()) {
            fixture.requireLoads(session, saved, fixture.whole(2), 1);
            return 0;
        } catch (CheckpointException e) {
            return 1;
        }
    }

    @Clause(
            value = "A save that cannot be written fails with a CheckpointException and leaves nothing visible",
            remedy = "file-system errors in save() and awaitDurable()")
    default void whatCannotBeWrittenFails(Bench bench, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        var fixture = new StateFixture(bench, strategy(), file.resolve("checkpoints"));
        try (CheckpointSession session = fixture.open()) {
            assertThrows(
                    CheckpointException.class,
                    () -> session.save(fixture.state(1, 1)).awaitDurable());
        }
        assertEquals("text", Files.readString(file));
    }

    @Clause(
            value = "Saving and loading leave no device memory allocated",
            remedy = "device buffers that are not closed")
    default void nothingIsKept(Bench bench, @TempDir Path folder) {
        var fixture = new StateFixture(bench, strategy(), folder);
        try (CheckpointSession session = fixture.open()) {
            for (int step = 1; step <= 3; step++) {
                fixture.requireLoads(
                        session, session.save(fixture.state(step, step)).awaitDurable(), fixture.whole(2), step);
            }
        }
        assertEquals(Map.of(), bench.heldByOthers());
    }
}
