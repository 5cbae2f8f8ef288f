package io.hirundo.checkpointdcp.internal.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.disk.FileOperations;
import io.hirundo.checkpointdcp.internal.fixture.QuickDisk;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What some ranks saved in pieces, others load in other pieces. */
class ReshardTest {
    private record Whole(String key, DType dtype, Shape shape) {}

    private static final List<Whole> TENSORS = List.of(
            new Whole("a", DType.FP32, Shape.of(61, 47)),
            new Whole("b", DType.BF16, Shape.of(17, 5, 29)),
            new Whole("c", DType.FP64, Shape.of(3001)),
            new Whole("d", DType.INT32, Shape.of(2, 3, 4, 5)),
            new Whole("e", DType.FP32, Shape.of(1, 9000)));

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"1,3", "3,2", "4,1", "2,2", "5,4", "3,8"})
    void reshardsAnyLayoutIntoAnyOther(int savers, int loaders) {
        for (int seed = 0; seed < 5; seed++) {
            Path directory = folder.resolve("run" + seed);
            save(directory, savers, seed);
            load(directory, loaders, seed + 1000, seed);
        }
    }

    @Test
    void reshardsColumnsIntoRows() {
        Shape shape = Shape.of(60, 64);
        ThreadWorld.run(4, world -> {
            var piece = new TensorSlice(List.of(0L, 16L * world.rank()), Shape.of(60, 16));
            var shards = List.of(States.filled(1, "w", DType.FP32, shape, piece));
            try (var session = States.open(folder, world, 2, new DiskOperations())) {
                return session.save(new TrainingState(1, shards, Map.of())).awaitDurable();
            }
        });
        ThreadWorld.run(3, world -> {
            var rows = States.empty(
                    "w", DType.FP32, shape, new TensorSlice(List.of(20L * world.rank(), 0L), Shape.of(20, 64)));
            try (var session = States.open(folder, world, 2, new DiskOperations())) {
                session.load(session.list().getFirst(), List.of(rows));
            }
            States.assertHolds(1, rows);
            return null;
        });
    }

    @Test
    void allRanksFindTheSameCheckpoint() {
        List<CheckpointInfo> saved = save(folder, 3, 1);
        assertEquals(saved.get(0), saved.get(1));
        assertEquals(saved.get(0), saved.get(2));
        List<CheckpointInfo> again = save(folder, 3, 2);
        assertTrue(again.stream().allMatch(info -> info.path().endsWith("step-00000001.r1")), again::toString);
    }

    @Test
    void aFailingRankFailsAll() {
        save(folder, 3, 1);
        for (int failing = 0; failing < 3; failing++) {
            int bad = failing;
            List<PendingSave> saves = ThreadWorld.run(3, world -> {
                FileOperations files = world.rank() == bad ? new FullDisk() : new DiskOperations();
                try (var session = States.open(folder, world, 2, files)) {
                    return session.save(new TrainingState(2, shards(3, world.rank(), 9), Map.of()));
                }
            });
            for (PendingSave save : saves) {
                var failure = assertThrows(CheckpointException.class, save::awaitDurable);
                assertTrue(failure.getMessage().contains("step 2 could not be written"), failure.getMessage());
            }
            assertTrue(assertThrows(CheckpointException.class, saves.get(bad)::awaitDurable)
                    .getMessage()
                    .contains("No space"));
            if (bad > 0) {
                var first = assertThrows(CheckpointException.class, saves.get(0)::awaitDurable);
                assertTrue(
                        first.getMessage().contains("rank " + bad + " could not write its share"), first.getMessage());
            }
            load(folder, 2, 5, 1);
        }
    }

    @Test
    void rejectsShardsOfDifferentTensors() {
        List<PendingSave> saves = ThreadWorld.run(2, world -> {
            Shape shape = Shape.of(4, 4 + world.rank());
            var shards = List.of(States.filled(1, "w", DType.FP32, shape, States.whole(shape)));
            try (var session = States.open(folder, world, 2, new DiskOperations())) {
                return session.save(new TrainingState(1, shards, Map.of()));
            }
        });
        var failure = assertThrows(CheckpointException.class, saves.get(0)::awaitDurable);
        assertTrue(failure.getMessage().contains("tensor 'w' is [4, 5] of FP32 on rank 1"), failure.getMessage());
        assertThrows(CheckpointException.class, saves.get(1)::awaitDurable);
    }

    private static final class FullDisk extends QuickDisk {
        @Override
        public void stepToWrite(Output output, ByteBuffer bytes, long position) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    private static List<CheckpointInfo> save(Path directory, int ranks, long seed) {
        return ThreadWorld.run(ranks, world -> {
            try (var session = States.open(directory, world, 2, new DiskOperations())) {
                var state = new TrainingState(1, shards(ranks, world.rank(), seed), Map.of("rank", world.rank()));
                return session.save(state).awaitDurable();
            }
        });
    }

    private static void load(Path directory, int ranks, long cutSeed, long valueSeed) {
        ThreadWorld.run(ranks, world -> {
            List<StateShard> into = shards(ranks, world.rank(), cutSeed).stream()
                    .map(States::emptyLike)
                    .toList();
            try (var session = States.open(directory, world, 2, new DiskOperations())) {
                CheckpointInfo newest = session.list().getFirst();
                session.load(newest, into);
                assertEquals(0L, session.values(newest).get("rank"));
            }
            into.forEach(shard -> States.assertHolds(valueSeed, shard));
            return null;
        });
    }

    /** A rank's pieces: each tensor is cut at random places, as often as there are ranks and more, and dealt out. */
    private static List<StateShard> shards(int ranks, int rank, long seed) {
        var random = new Random(seed);
        var mine = new ArrayList<StateShard>();
        for (Whole tensor : TENSORS) {
            var pieces = new ArrayList<TensorSlice>(List.of(States.whole(tensor.shape())));
            for (int cuts = ranks == 1 ? 0 : ranks + random.nextInt(3); cuts > 0; cuts--) {
                cut(pieces, random);
            }
            for (int i = 0; i < pieces.size(); i++) {
                if (i % ranks == rank) {
                    mine.add(States.filled(seed, tensor.key(), tensor.dtype(), tensor.shape(), pieces.get(i)));
                }
            }
        }
        return mine;
    }

    private static void cut(List<TensorSlice> pieces, Random random) {
        TensorSlice piece = pieces.remove(random.nextInt(pieces.size()));
        int dim = random.nextInt(piece.shape().rank());
        long at = random.nextLong(piece.shape().dim(dim) + 1);
        var lower = new ArrayList<>(piece.shape().dims());
        var upper = new ArrayList<>(piece.shape().dims());
        var offset = new ArrayList<>(piece.offset());
        lower.set(dim, at);
        upper.set(dim, piece.shape().dim(dim) - at);
        offset.set(dim, piece.offset().get(dim) + at);
        pieces.add(new TensorSlice(piece.offset(), new Shape(lower)));
        pieces.add(new TensorSlice(offset, new Shape(upper)));
    }
}
