package io.hirundo.checkpointdcp.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpointdcp.internal.fixture.HostDevice;
import io.hirundo.checkpointdcp.internal.fixture.Nodes;
import io.hirundo.checkpointdcp.internal.fixture.QuickDisk;
import io.hirundo.checkpointdcp.internal.fixture.ThreadWorld;
import io.hirundo.checkpointdcp.internal.fixture.Way;
import io.hirundo.checkpointdcp.internal.session.DcpSession;
import io.hirundo.checkpointdcp.internal.session.TieredOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints in the memory of nodes. */
@Timeout(120)
class TieredSaveTest {
    private static final int RANKS = 4;

    @TempDir
    Path folder;

    private Nodes nodes;
    private Path checkpoints;

    @BeforeEach
    void name() {
        nodes = new Nodes(folder);
        checkpoints = nodes.checkpoints();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void survivesTheLossOfAnyRanksMemory(int ranksOfANode) {
        for (int lost = 0; lost < RANKS; lost++) {
            nodes.saveFive(RANKS, ranksOfANode);
            Nodes.deleteAll(nodes.memoryOf(lost));
            assertEquals(5, nodes.recover(RANKS, ranksOfANode), "without the memory of rank " + lost);
            Nodes.deleteAll(folder.resolve("run"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void survivesTheLossOfAnyNode(int ranksOfANode) {
        for (int lost = 0; lost < RANKS / ranksOfANode; lost++) {
            nodes.saveFive(RANKS, ranksOfANode);
            Nodes.deleteAll(folder.resolve("node-" + lost));
            assertEquals(5, nodes.recover(RANKS, ranksOfANode), "without node " + lost);
            Nodes.deleteAll(folder.resolve("run"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void takesTheCheckpointOnStorageIfARankAndItsPeerAreLost(int ranksOfANode) {
        nodes.saveFive(RANKS, ranksOfANode);
        Nodes.deleteAll(nodes.memoryOf(1));
        Nodes.deleteAll(nodes.memoryOf(3));
        assertEquals(3, nodes.recover(RANKS, ranksOfANode));
    }

    /** What was newer and is lost must not stand in its way. */
    @Test
    void keepsNewCopiesAfterARollback() throws IOException {
        nodes.saveFive(RANKS, 1);
        Nodes.deleteAll(nodes.memoryOf(1));
        Nodes.deleteAll(nodes.memoryOf(3));
        ThreadWorld.run(RANKS, world -> {
            try (var session = nodes.open(world, 1, nodes.disk(world, 1))) {
                assertEquals(3, Nodes.loadNewest(world, session));
                session.save(Nodes.state(world, 4)).awaitDurable();
            }
            return null;
        });
        assertEquals(List.of("step-00000004"), names(checkpoints.resolve("memory")));
        assertEquals(4, nodes.recover(RANKS, 1));
    }

    @Test
    void survivesTheLossOfTwoRanksThatAreNotPeers() {
        nodes.saveFive(RANKS, 1);
        Nodes.deleteAll(nodes.memoryOf(0));
        Nodes.deleteAll(nodes.memoryOf(1));
        assertEquals(5, nodes.recover(RANKS, 1));
    }

    /** First the rank's own, then the peer's too. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void takesTheOtherCopyOfADamagedOne(int ranksOfANode) throws IOException {
        nodes.saveFive(RANKS, ranksOfANode);
        List<Path> both = Nodes.files(folder, "rank-00002.data").stream()
                .filter(file -> !file.startsWith(checkpoints))
                .toList();
        assertEquals(2, both.size(), both::toString);
        long step = 5;
        for (Path copy : both) {
            byte[] bytes = Files.readAllBytes(copy);
            bytes[bytes.length / 3] ^= 1;
            Files.write(copy, bytes);
            assertEquals(step, nodes.recover(RANKS, ranksOfANode));
            step = 3;
        }
    }

    @ParameterizedTest
    @CsvSource({"4,1,2,1,5", "4,2,3,1,5", "2,1,4,2,5", "1,1,3,1,5", "5,5,2,2,5", "3,1,1,1,3", "5,1,5,5,3"})
    void anotherLayoutLoadsItOnTheNodesThatHoldIt(
            int savers, int saversOfANode, int loaders, int loadersOfANode, long step) {
        nodes.saveFive(savers, saversOfANode);
        assertEquals(step, nodes.recover(loaders, loadersOfANode));
    }

    /** And whoever reads one from memory need not have the strategy that wrote it. */
    @Test
    void anotherStrategyLoadsIt() {
        nodes.saveFive(RANKS, 1);
        Nodes.deleteAll(nodes.memoryOf(2));
        List<Long> steps = ThreadWorld.run(RANKS, world -> {
            try (var session = Way.ASYNC.open(checkpoints, world, 2, nodes.disk(world, 1))) {
                return Nodes.loadNewest(world, session);
            }
        });
        assertEquals(List.of(5L, 5L, 5L, 5L), steps);
    }

    /** What comes from another node is nobody else's business, and nothing of it stays. */
    @Test
    void receivedFilesArePrivateAndDeletedWithTheirFolders() {
        nodes.saveFive(RANKS, 1);
        Nodes.deleteAll(folder.resolve("node-2"));
        var seen = new ConcurrentLinkedQueue<String>();
        ThreadWorld.run(RANKS, world -> {
            var disk = new QuickDisk() {
                @Override
                public boolean isThere(Path file) {
                    return super.isThere(file) && file.startsWith(nodes.node(world, 1));
                }

                @Override
                public Output createInMemory(Path file) throws IOException {
                    Path root = file.getParent().getParent().getParent();
                    seen.add(root.getParent().getFileName() + " "
                            + PosixFilePermissions.toString(Files.getPosixFilePermissions(root)));
                    return super.createInMemory(file);
                }
            };
            try (var session = Way.ASYNC.open(checkpoints, world, 2, disk)) {
                assertEquals(5, Nodes.loadNewest(world, session));
            }
            return null;
        });
        assertTrue(seen.contains("node-2 rwx------"), seen::toString);
        assertTrue(seen.stream().allMatch(folder -> folder.endsWith(" rwx------")), seen::toString);
        assertEquals(
                List.of(),
                Nodes.files(folder, "node-2").stream()
                        .flatMap(node -> Nodes.files(node, "(hirundo|rank)-.*").stream())
                        .toList());
    }

    @Test
    void deletesADamagedManifestWithItsData() throws IOException {
        nodes.saveFive(1, 1);
        Files.writeString(checkpoints.resolve("memory/step-00000005/manifest.json"), "{");
        try (var session = nodes.open(ThreadWorld.alone(), 1, new QuickDisk())) {
            session.save(Nodes.state(ThreadWorld.alone(), 6)).awaitDurable();
            assertEquals(List.of("step-00000006"), names(checkpoints.resolve("memory")));
            Files.writeString(checkpoints.resolve("memory/step-00000006/manifest.json"), "{");
            session.saveDurably(Nodes.state(ThreadWorld.alone(), 7)).awaitDurable();
        }
        assertEquals(List.of(), names(checkpoints.resolve("memory")));
        assertEquals(List.of(), names(folder.resolve("node-0")));
    }

    @Test
    void respectsTheMemoryLimit() throws IOException {
        nodes.saveFive(RANKS, 1);
        assertEquals(List.of("step-00000005"), names(checkpoints.resolve("memory")));
        assertEquals(List.of("latest", "memory", "step-00000003"), names(checkpoints));
        // Of one save, on each node its own and that of another.
        assertEquals(
                2 * RANKS,
                Nodes.files(folder, "rank-.*\\.data").stream()
                        .filter(file -> !file.startsWith(checkpoints))
                        .count());
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void deletesCopiesAtTheEndIfStorageHasTheCheckpoint() throws IOException {
        nodes.saveFive(RANKS, 2);
        ThreadWorld.run(RANKS, world -> {
            try (var session = nodes.open(world, 2, nodes.disk(world, 2))) {
                assertFalse(session.saveDurably(Nodes.state(world, 6))
                        .awaitDurable()
                        .isInMemory());
                assertEquals(
                        List.of(6L, 5L, 3L),
                        session.list().stream().map(CheckpointInfo::step).toList());
            }
            return null;
        });
        assertEquals(List.of(), names(checkpoints.resolve("memory")));
        assertEquals(List.of(), names(folder.resolve("node-0")));
        assertEquals(List.of(), names(folder.resolve("node-1")));
        assertEquals(6, nodes.recover(RANKS, 2));
    }

    @Test
    void removesTheRemainsOfAnInterruptedRun() throws IOException {
        nodes.saveFive(2, 1);
        Path stale = nodes.memoryOf(1).resolve("0123456789abcdef");
        Files.createDirectories(stale);
        Files.writeString(stale.resolve("rank-00001.data"), "half");
        assertEquals(5, nodes.recover(2, 1));
        assertFalse(Files.exists(stale));
    }

    @Test
    void reportsTooLittleMemoryOnce() {
        List<String> reasons = ThreadWorld.run(2, world -> {
            var small = new QuickDisk() {
                @Override
                public long usableBytes(Path folder) {
                    return world.rank() == 1 ? 100_000 : Long.MAX_VALUE / 2;
                }
            };
            try (var session = nodes.open(world, 1, small)) {
                return assertThrows(
                                CheckpointException.class,
                                () -> session.save(Nodes.state(world, 1)).awaitDurable())
                        .getMessage();
            }
        });
        for (String reason : reasons) {
            assertTrue(
                    reason.contains("has room for 97.7 KiB, but checkpoints in memory need 240 KiB there, of 1 ranks"),
                    reason);
        }
        assertTrue(reasons.getFirst().contains("rank 1: "), reasons.getFirst());
    }

    @Test
    void rejectsARankAsItsOwnPeer() {
        var device = new HostDevice();
        ThreadWorld.run(2, world -> {
            var context = new CheckpointContext(checkpoints, world, device, device.newQueue("test"));
            var options = new TieredOptions(2, 0, 4096, 8192, 60, 3, new MemoryOptions(folder.toString(), 1, 4));
            var failure = assertThrows(
                    ConfigurationException.class, () -> DcpSession.tiered(context, options, "test 1", new QuickDisk()));
            assertTrue(failure.getMessage().contains("memory.peerDistance is 4"), failure.getMessage());
            return null;
        });
    }
}
