package io.hirundo.checkpointdcp.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.format.Manifest;
import io.hirundo.checkpointdcp.internal.format.ManifestText;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyncSessionTest {
    @TempDir
    Path folder;

    @Test
    void restoresTheStateBitwise() throws IOException {
        Path directory = folder.resolve("checkpoints");
        try (var session = States.open(directory)) {
            assertEquals(List.of(), session.list());
            assertFalse(Files.exists(directory));
            var saving = session.save(States.state(100, 7));
            assertTrue(saving.isDurable());
            CheckpointInfo saved = saving.awaitDurable();
            assertEquals(100, saved.step());
            assertEquals(directory.resolve("step-00000100"), saved.path());
            assertEquals(List.of(saved), session.list());
            assertEquals(sizes(saved.path()), saved.bytes());
        }
        try (var session = States.open(directory)) {
            States.assertLoads(session, session.list().getFirst(), 7);
        }
    }

    @Test
    void piecesAreAlignedToPages() {
        try (var session = States.open(folder)) {
            Path saved = session.save(States.state(1, 1)).awaitDurable().path();
            Manifest manifest = SavedCheckpoint.open(saved, new ManifestText()).manifest();
            assertEquals(6, manifest.tensors().size());
            for (SavedTensor tensor : manifest.tensors()) {
                tensor.shards().forEach(shard -> assertEquals(0, shard.place().byteOffset() % 4096, tensor.key()));
            }
        }
    }

    @Test
    void restoresATensorLargerThanTheWindow() {
        try (var session = States.open(folder)) {
            List<StateShard> shards = List.of(States.filled(3, "large", DType.FP32, 1025, 4100));
            var saved = session.save(new TrainingState(1, shards, Map.of())).awaitDurable();
            List<StateShard> into = List.of(States.emptyLike(shards.getFirst()));
            session.load(saved, into);
            States.assertHolds(3, into.getFirst());
        }
    }

    @Test
    void restoresValuesOfTheTrainingState() {
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("text", "日本語 \"quoted\"");
        inner.put("null", null);
        Map<String, Object> values = Map.of(
                "long", 1L << 60, "int", 7, "double", 0.1, "list", List.of(true, inner), "tiny", Double.MIN_VALUE);
        try (var session = States.open(folder)) {
            var saved = session.save(new TrainingState(5, List.of(), values)).awaitDurable();
            Map<String, Object> read = session.values(saved);
            assertEquals(1L << 60, read.get("long"));
            assertEquals(7L, read.get("int"));
            assertEquals(0.1, read.get("double"));
            assertEquals(Double.MIN_VALUE, read.get("tiny"));
            assertEquals(List.of(true, inner), read.get("list"));
            for (Object value : List.of(Double.NaN, Float.POSITIVE_INFINITY, new Object(), List.of(Map.of(1, 2)))) {
                var wrong = new TrainingState(6, List.of(), Map.of("x", value));
                var failure = assertThrows(IllegalArgumentException.class, () -> session.save(wrong));
                assertTrue(failure.getMessage().contains("values.x"), failure.getMessage());
            }
            assertEquals(List.of(saved), session.list());
            assertEquals(List.of("latest", "step-00000005"), names());
        }
    }

    @Test
    void keepsTheNewestOnly() throws IOException {
        try (var session = States.open(folder, ThreadWorld.alone(), 3, new DiskOperations())) {
            for (int step = 1; step <= 5; step++) {
                session.save(States.state(step * 10, step)).awaitDurable();
            }
            assertEquals(
                    List.of(50L, 40L, 30L),
                    session.list().stream().map(CheckpointInfo::step).toList());
            assertEquals(List.of("latest", "step-00000030", "step-00000040", "step-00000050"), names());
            assertEquals("step-00000050\n", Files.readString(folder.resolve("latest")));
            States.assertLoads(session, session.list().getLast(), 3);
        }
    }

    @Test
    void namesTheNewestOfThoseThatAreLeft() throws IOException {
        Path away = Files.createDirectory(folder.resolve("away"));
        try (var session = States.open(folder, ThreadWorld.alone(), 3, new DiskOperations())) {
            for (int step = 1; step <= 3; step++) {
                session.save(States.state(step * 10, step)).awaitDurable();
            }
            Files.move(folder.resolve("step-00000030"), away.resolve("step-00000030"));
            session.checkpointsMoved();
            assertEquals("step-00000020\n", Files.readString(folder.resolve("latest")));
            for (String step : List.of("step-00000010", "step-00000020")) {
                Files.move(folder.resolve(step), away.resolve(step));
            }
            session.checkpointsMoved();
            session.checkpointsMoved();
            assertEquals(List.of("away"), names());
        }
    }

    @Test
    void keepsLaterStepsOfAnotherBranch() {
        try (var session = States.open(folder, ThreadWorld.alone(), 1, new DiskOperations())) {
            session.save(States.state(300, 1)).awaitDurable();
            var saved = session.save(States.state(200, 2)).awaitDurable();
            assertEquals(
                    List.of(300L, 200L),
                    session.list().stream().map(CheckpointInfo::step).toList());
            States.assertLoads(session, saved, 2);
        }
    }

    @Test
    void doesNotWriteReplicas() {
        Shape whole = Shape.of(8);
        var copy = new StateShard("a", whole, List.of(0L), HostDevice.tensor(whole, DType.FP32), 1);
        try (var session = States.open(folder)) {
            var shards = List.of(States.filled(1, "a", DType.FP32, 8), copy);
            var saved = session.save(new TrainingState(1, shards, Map.of())).awaitDurable();
            var into = States.empty("a", DType.FP32, whole, States.whole(whole));
            session.load(saved, List.of(into));
            States.assertHolds(1, into);
            var orphan = session.save(new TrainingState(2, List.of(copy), Map.of()));
            assertFails(orphan, "tensor 'a' of shape [8]: its pieces hold 0 of 8 elements");
        }
    }

    @Test
    void rejectsPiecesThatDoNotCoverTheTensor() {
        Shape whole = Shape.of(6, 4);
        var upper = States.filled(1, "a", DType.FP32, whole, new TensorSlice(List.of(0L, 0L), Shape.of(3, 4)));
        var middle = States.filled(1, "a", DType.FP32, whole, new TensorSlice(List.of(2L, 0L), Shape.of(3, 4)));
        var outside =
                States.filled(1, "a", DType.FP32, Shape.of(9, 4), new TensorSlice(List.of(3L, 0L), Shape.of(6, 4)));
        var leaving = new StateShard("a", whole, List.of(3L, 0L), outside.local(), 0);
        try (var session = States.open(folder)) {
            assertFails(session.save(new TrainingState(1, List.of(upper), Map.of())), "hold 12 of 24 elements");
            assertFails(session.save(new TrainingState(1, List.of(upper, middle), Map.of())), "overlap");
            assertFails(session.save(new TrainingState(1, List.of(upper, leaving), Map.of())), "leaves it");
            var other = new TrainingState(1, List.of(upper, outside), Map.of());
            assertThrows(IllegalArgumentException.class, () -> session.save(other));
            assertEquals(List.of(), session.list());
            assertEquals(List.of(), names());
        }
    }

    @Test
    void failingDeviceLeavesNoCheckpoint() {
        try (var session = States.open(folder)) {
            session.save(States.state(1, 1)).awaitDurable();
            var shards = new ArrayList<>(States.shards(2));
            Tensor sound = shards.get(1).local();
            Tensor failing = new Tensor() {
                @Override
                public Shape shape() {
                    return sound.shape();
                }

                @Override
                public DType dtype() {
                    return sound.dtype();
                }

                @Override
                public Tensor view(long elementOffset, Shape shape) {
                    throw new DeviceException("the device is gone");
                }

                @Override
                public void close() {}
            };
            shards.set(1, new StateShard("model/b", sound.shape(), List.of(0L, 0L), failing, 0));
            assertThrows(DeviceException.class, () -> session.save(new TrainingState(2, shards, Map.of())));
            assertEquals(List.of("latest", "step-00000001"), names());
            States.assertLoads(session, session.list().getFirst(), 1);
        }
    }

    @Test
    void rejectsAMissingTensorOrAnotherShape() {
        try (var session = States.open(folder)) {
            var saved = session.save(States.state(1, 1)).awaitDurable();
            var keys = States.shards(1).stream().map(StateShard::key).collect(Collectors.toSet());
            assertEquals(keys, session.keys(saved).orElseThrow());
            Shape shape = Shape.of(37, 53);
            rejects(
                    session,
                    saved,
                    States.empty("model/c", DType.FP32, shape, States.whole(shape)),
                    "'model/c' is not in it");
            Shape other = Shape.of(53, 37);
            rejects(
                    session,
                    saved,
                    States.empty("model/a", DType.FP32, other, States.whole(other)),
                    "'model/a' is of shape [37, 53]");
            rejects(
                    session,
                    saved,
                    States.empty("model/a", DType.BF16, shape, States.whole(shape)),
                    "'model/a' is of FP32 there");
        }
    }

    @Test
    void removesLeftoversAndKeepsForeignFiles() throws IOException {
        try (var session = States.open(folder)) {
            session.save(States.state(1, 1)).awaitDurable();
        }
        for (String leftover : List.of("step-00000002.tmp-0123456789abcdef", ".trash-step-00000000-0123456789abcdef")) {
            Files.createDirectory(folder.resolve(leftover));
            Files.writeString(folder.resolve(leftover).resolve("rank-00000.data"), "half");
        }
        Files.writeString(folder.resolve("latest.tmp-0123456789abcdef"), "st");
        Files.createDirectory(folder.resolve("step-00000003"));
        Files.createDirectory(folder.resolve("notes"));
        Files.writeString(folder.resolve("step-00000002.tmp"), "mine");
        try (var session = States.open(folder)) {
            assertEquals(1, session.list().size());
        }
        assertEquals(List.of("latest", "notes", "step-00000001", "step-00000002.tmp", "step-00000003"), names());
    }

    @Test
    void namesAFolderThatCannotBeCreated() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        try (var session = States.open(file.resolve("checkpoints"))) {
            assertFails(session.save(States.state(1, 1)), file.toString());
        }
    }

    private static void rejects(DcpSession session, CheckpointInfo saved, StateShard wanted, String message) {
        var failure = assertThrows(ConfigurationException.class, () -> session.load(saved, List.of(wanted)));
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
        assertTrue(failure.getMessage().contains(saved.path().toString()), failure.getMessage());
    }

    private static void assertFails(io.hirundo.checkpoint.PendingSave save, String message) {
        assertFalse(save.isDurable());
        var failure = assertThrows(CheckpointException.class, save::awaitDurable);
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    private List<String> names() {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static long sizes(Path checkpoint) throws IOException {
        try (Stream<Path> files = Files.list(checkpoint)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }
}
