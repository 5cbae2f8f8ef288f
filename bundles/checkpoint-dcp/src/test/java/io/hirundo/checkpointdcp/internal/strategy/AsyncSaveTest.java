package io.hirundo.checkpointdcp.internal.strategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.disk.DiskOperations;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice.HostTensor;
import io.hirundo.checkpointdcp.internal.fixture.QuickDisk;
import io.hirundo.checkpointdcp.internal.fixture.States;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import io.hirundo.checkpointdcp.internal.save.RankPart;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is different where training continues during a save. */
@Timeout(120)
class AsyncSaveTest {
    private static final Shape WHOLE = Shape.of(64, 100);

    @TempDir
    Path folder;

    @Test
    void trainingContinuesWhileTheDiskBlocks() {
        var disk = new StandingDisk();
        List<StateShard> shards = States.shards(7);
        PendingSave first;
        PendingSave second;
        try (var session = Way.async(folder, ThreadWorld.alone(), 3, 100, 60, disk)) {
            first = session.save(new TrainingState(1, shards, Map.of("seed", 7L, "step", 1L)));
            shards.forEach(shard -> ((HostTensor) shard.local()).bytes().fill((byte) 0));
            second = session.save(States.state(2, 8));
            assertFalse(first.hasEnded() || first.isDurable() || second.hasEnded() || second.isDurable());
            assertEquals(List.of(), session.list());
            disk.goOn.countDown();
            States.assertLoads(session, second.awaitDurable(), 8);
            assertTrue(first.isDurable(), "they end in the order in which they began");
            States.assertLoads(session, first.awaitDurable(), 7);
        }
    }

    @Test
    void savesTheSameStepTwiceAtOnce() {
        var disk = new StandingDisk();
        try (var session = Way.async(folder, ThreadWorld.alone(), 3, 100, 60, disk)) {
            session.save(States.state(1, 7));
            var again = session.save(States.state(1, 8));
            disk.goOn.countDown();
            States.assertLoads(session, again.awaitDurable(), 8);
            assertEquals(1, session.list().size());
        }
    }

    @Test
    void respectsAPoolSmallerThanTheState() {
        var seen = ConcurrentHashMap.<Long>newKeySet();
        var disk = new QuickDisk() {
            @Override
            public void stepToWrite(Output output, ByteBuffer bytes, long position) {
                if (bytes.isDirect()) {
                    seen.add(MemorySegment.ofBuffer(bytes).address());
                }
            }
        };
        try (var session = Way.async(folder, ThreadWorld.alone(), 2, 3, 60, disk)) {
            for (int step = 1; step <= 4; step++) {
                List<StateShard> shards = List.of(States.filled(step, "large", DType.FP32, 300, 300));
                session.save(new TrainingState(step, shards, Map.of()));
            }
        }
        assertTrue(seen.size() > 1 && seen.size() <= 3, "buffers " + seen.size());
        try (var session = States.open(folder)) {
            List<StateShard> into =
                    List.of(States.empty("large", DType.FP32, Shape.of(300, 300), States.whole(Shape.of(300, 300))));
            session.load(session.list().getFirst(), into);
            States.assertHolds(4, into.getFirst());
        }
    }

    @Test
    void reusesThePlanForTheSamePieces() {
        var plan = RankPart.planOf(States.state(1, 1), null, States.CHUNK_BYTES);
        assertEquals(plan, RankPart.planOf(States.state(2, 2), plan, States.CHUNK_BYTES));
        var fewer = new TrainingState(3, States.shards(3).subList(0, 5), Map.of());
        assertFalse(plan.equals(RankPart.planOf(fewer, plan, States.CHUNK_BYTES)));
    }

    @Test
    void ranksWriteTogether() {
        List<List<CheckpointInfo>> saved = ThreadWorld.run(4, world -> {
            try (var session = Way.async(folder, world, 2, 2, 60, new DiskOperations())) {
                var first = session.save(rows(world, 1));
                var second = session.save(rows(world, 2));
                return List.of(first.awaitDurable(), second.awaitDurable());
            }
        });
        assertEquals(1, Set.copyOf(saved).size(), saved::toString);
        assertEquals(List.of("latest", "step-00000001", "step-00000002"), names());
        assertHoldsRows(2);
    }

    /** The last rank, in the middle, or the first: at its first operation, in its data, or in what comes behind. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void aFailingRankFailsAllWithItsReason(int operation) {
        saveOne();
        for (int failing = 0; failing < 3; failing++) {
            int failingRank = failing;
            boolean isNoFolder = failing == 0 && operation == 0;
            // Where it could write nothing, it has nothing that it could give back to make room for its reason.
            boolean isSilent = operation == (failing == 0 ? 1 : 0);
            String told = isNoFolder
                    ? "rank 0 should have made one"
                    : "rank " + failing + (isSilent ? " did not come to the end of its share" : ": No space left");
            long timeoutSeconds = isSilent ? 2 : 60;
            List<String> reasons = ThreadWorld.run(3, world -> {
                var disk = world.rank() == failingRank ? new FullDisk(operation) : new QuickDisk();
                try (var session = Way.async(folder, world, 2, 2, timeoutSeconds, disk)) {
                    return reason(session.save(rows(world, 2)));
                }
            });
            for (int rank = 0; rank < 3; rank++) {
                String reason = reasons.get(rank);
                assertTrue(reason.contains("step 2 could not be written"), reason);
                assertTrue(reason.contains(rank == failing ? "No space left on device" : told), reason);
            }
            assertEquals(List.of("latest", "step-00000001"), names());
            assertHoldsRows(1);
        }
    }

    @Test
    void aRankWithAFailingDeviceFailsAll() {
        saveOne();
        List<String> reasons = ThreadWorld.run(2, world -> {
            try (var session = Way.async(folder, world, 2, 2, 60, new DiskOperations())) {
                TrainingState state = rows(world, 2);
                if (world.rank() == 1) {
                    StateShard sound = state.shards().getFirst();
                    var broken =
                            new HostTensor(MemorySegment.NULL, sound.local().shape(), DType.FP32);
                    var shard = new StateShard("a", WHOLE, sound.offset(), broken, 0);
                    var failing = new TrainingState(2, List.of(shard), Map.of());
                    return assertThrows(IndexOutOfBoundsException.class, () -> session.save(failing))
                            .toString();
                }
                return reason(session.save(state));
            }
        });
        assertTrue(reasons.getFirst().contains("rank 1: its tensors could not be read"), reasons::toString);
        assertEquals(List.of("latest", "step-00000001"), names());
    }

    @Test
    void limitsTheWaitForASilentRank() {
        saveOne();
        var disk = new StandingDisk();
        List<String> reasons = ThreadWorld.run(2, world -> {
            boolean isSilent = world.rank() == 1;
            try (var session = Way.async(folder, world, 2, 2, 1, isSilent ? disk : new DiskOperations())) {
                // Its pool holds the state: nobody but its writer stands still.
                PendingSave save = session.save(small(world, 2));
                String reason = "";
                if (!isSilent) {
                    reason = reason(save);
                    disk.goOn.countDown();
                }
                return isSilent ? reason(save) : reason;
            }
        });
        for (String reason : reasons) {
            assertTrue(reason.contains("rank 1 did not come to the end of its share"), reasons::toString);
            assertTrue(reason.contains("nobody has written anything for 1 s"), reasons::toString);
        }
        assertEquals(List.of("latest", "step-00000001"), names());
    }

    @Test
    void rejectsAnInvalidStateAndLeavesNothing() {
        try (var session = Way.ASYNC.open(folder, ThreadWorld.alone(), 2, new DiskOperations())) {
            var wrong = new TrainingState(6, States.shards(1), Map.of("x", new Object()));
            assertThrows(IllegalArgumentException.class, () -> session.save(wrong));
            var saved = session.save(States.state(7, 7)).awaitDurable();
            assertEquals(List.of(saved), session.list());
        }
        assertEquals(List.of("latest", "step-00000007"), names());
    }

    private void saveOne() {
        ThreadWorld.run(2, world -> {
            try (var session = Way.async(folder, world, 2, 2, 60, new QuickDisk())) {
                return session.save(rows(world, 1)).awaitDurable();
            }
        });
    }

    /** Each rank has as many rows of one tensor. */
    private static TrainingState rows(World world, long step) {
        long ranks = ((ThreadWorld) world).ranks().size();
        long begin = WHOLE.dim(0) * world.rank() / ranks;
        long end = WHOLE.dim(0) * (world.rank() + 1) / ranks;
        var piece = new TensorSlice(List.of(begin, 0L), Shape.of(end - begin, WHOLE.dim(1)));
        return new TrainingState(step, List.of(States.filled(step, "a", DType.FP32, WHOLE, piece)), Map.of());
    }

    private static TrainingState small(World world, long step) {
        var piece = new TensorSlice(List.of((long) world.rank()), Shape.of(1));
        return new TrainingState(step, List.of(States.filled(step, "a", DType.FP32, Shape.of(2), piece)), Map.of());
    }

    private void assertHoldsRows(long step) {
        try (var session = States.open(folder)) {
            StateShard into = States.empty("a", DType.FP32, WHOLE, States.whole(WHOLE));
            session.load(session.list().getFirst(), List.of(into));
            States.assertHolds(step, into);
        }
    }

    private static String reason(PendingSave save) {
        var failure = assertThrows(CheckpointException.class, save::awaitDurable);
        assertTrue(save.hasEnded() && !save.isDurable());
        return failure.getMessage();
    }

    private List<String> names() {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Blocks every write until it is released. */
    private static final class StandingDisk extends QuickDisk {
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public void stepToWrite(Output output, ByteBuffer bytes, long position) {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** From an operation on nothing but deleting makes room: one byte written is one too many until something is deleted. */
    private static final class FullDisk extends QuickDisk {
        private int left;
        private boolean hasRoom;

        FullDisk(int operations) {
            this.left = operations;
        }

        @Override
        public void step() throws IOException {
            if (left-- <= 0 && !hasRoom) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void delete(Path path) throws IOException {
            new DiskOperations().delete(path);
            hasRoom = true;
        }

        @Override
        public void deleteAll(Path path) throws IOException {
            new DiskOperations().deleteAll(path);
            hasRoom = true;
        }
    }
}
