package io.hirundo.checkpointdcp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checkpoints in the memory of nodes. A node is a folder: ranks that are given the same one share a node, others pass each other bytes.
 */
@Timeout(120)
class TieredSaveTest {
  private static final int RANKS = 4;
  /** Odd, in two bytes: windows and messages do not end where elements of messages do. */
  private static final Shape WIDE = Shape.of(67, 301);

  @TempDir Path folder;

  private Path checkpoints;

  @BeforeEach
  void name() {
    checkpoints = folder.resolve("run").resolve("checkpoints");
  }

  /** {@code ranksOfANode}: consecutive ones. */
  private Path node(World world, int ranksOfANode) {
    return folder.resolve("node-" + world.rank() / ranksOfANode);
  }

  /** Files in the memory of other nodes are not there. */
  private FileOperations disk(World world, int ranksOfANode) {
    return new QuickDisk() {
      @Override
      public boolean isThere(Path file) {
        return super.isThere(file) && (!file.startsWith(folder) || file.startsWith(node(world, ranksOfANode)));
      }
    };
  }

  private DcpSession open(World world, int ranksOfANode, FileOperations files) {
    Path memory = node(world, ranksOfANode);
    memory.toFile().mkdirs();
    return open(checkpoints, world, memory, 3, files);
  }

  /** Every third save is durable where {@code durableEvery} says so. */
  static DcpSession open(Path checkpoints, World world, Path memory, int durableEvery, FileOperations files) {
    var device = new HostDevice();
    var context = new CheckpointContext(checkpoints, world, device, device.newQueue("test"));
    var options =
        new TieredOptions(
            2, 0, States.CHUNK_BYTES, 2 * States.CHUNK_BYTES, 60, durableEvery, new MemoryOptions(memory.toString(), 1, 0));
    return DcpSession.tiered(context, options, "test 1", files);
  }

  /** A rank's rows of two tensors, which need not be as many as another's. */
  private static List<StateShard> rows(World world, long seed) {
    int ranks = world.mesh().ranks();
    var shards = new ArrayList<StateShard>();
    for (DType dtype : List.of(DType.FP32, DType.BF16)) {
      long begin = WIDE.dim(0) * world.rank() / ranks;
      long end = WIDE.dim(0) * (world.rank() + 1) / ranks;
      var piece = new Piece(List.of(begin, 0L), Shape.of(end - begin, WIDE.dim(1)));
      shards.add(States.filled(seed, "of " + dtype, dtype, WIDE, piece));
    }
    return shards;
  }

  private static TrainingState state(World world, long step) {
    return new TrainingState(step, rows(world, step), Map.of("step", step));
  }

  /** Steps 1 and 2 to memory, 3 to storage, 4 and 5 to memory. */
  private void saveFive(int ranks, int ranksOfANode) {
    ThreadWorld.run(
        ranks,
        world -> {
          try (var session = open(world, ranksOfANode, disk(world, ranksOfANode))) {
            for (long step = 1; step <= 5; step++) {
              CheckpointInfo info = session.save(state(world, step)).awaitDurable();
              assertEquals(step != 3, info.isInMemory());
            }
          }
          return null;
        });
  }

  /** All ranks load the newest that all can load, as a run does; returns its step. */
  private long recover(int ranks, int ranksOfANode) {
    return ThreadWorld.run(
            ranks,
            world -> {
              try (var session = open(world, ranksOfANode, disk(world, ranksOfANode))) {
                return loadNewest(world, session);
              }
            })
        .getFirst();
  }

  private static long loadNewest(World world, CheckpointSession session) {
    for (CheckpointInfo info : session.list()) {
      List<StateShard> into = rows(world, 0).stream().map(States::emptyLike).toList();
      try {
        session.load(info, into);
      } catch (CheckpointException lost) {
        assertTrue(info.isInMemory(), lost.getMessage());
        assertTrue(lost.getMessage().contains("no node has a good copy of rank-0000"), lost.getMessage());
        continue;
      }
      into.forEach(shard -> States.assertHolds(info.step(), shard));
      assertEquals(info.step(), session.values(info).get("step"));
      return info.step();
    }
    return 0;
  }

  private static List<Path> files(Path folder, String name) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.getFileName().toString().matches(name)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteAll(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a rank has in memory, wherever its node is. */
  private Path memoryOf(int rank) {
    return files(folder, "rank-%05d".formatted(rank)).getFirst();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void anyRanksMemoryMayBeLost(int ranksOfANode) {
    for (int lost = 0; lost < RANKS; lost++) {
      saveFive(RANKS, ranksOfANode);
      deleteAll(memoryOf(lost));
      assertEquals(5, recover(RANKS, ranksOfANode), "without the memory of rank " + lost);
      deleteAll(folder.resolve("run"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void anyNodeMayBeLost(int ranksOfANode) {
    for (int lost = 0; lost < RANKS / ranksOfANode; lost++) {
      saveFive(RANKS, ranksOfANode);
      deleteAll(folder.resolve("node-" + lost));
      assertEquals(5, recover(RANKS, ranksOfANode), "without node " + lost);
      deleteAll(folder.resolve("run"));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void whereARankAndItsPeerAreLostTheOneOnStorageIsTaken(int ranksOfANode) {
    saveFive(RANKS, ranksOfANode);
    deleteAll(memoryOf(1));
    deleteAll(memoryOf(3));
    assertEquals(3, recover(RANKS, ranksOfANode));
  }

  /** What was newer and is lost must not stand in its way. */
  @Test
  void aRunThatWentBackKeepsItsNewCopies() throws IOException {
    saveFive(RANKS, 1);
    deleteAll(memoryOf(1));
    deleteAll(memoryOf(3));
    ThreadWorld.run(
        RANKS,
        world -> {
          try (var session = open(world, 1, disk(world, 1))) {
            assertEquals(3, loadNewest(world, session));
            session.save(state(world, 4)).awaitDurable();
          }
          return null;
        });
    assertEquals(List.of("step-00000004"), names(checkpoints.resolve("memory")));
    assertEquals(4, recover(RANKS, 1));
  }

  @Test
  void ranksThatAreNotPeersMayBothBeLost() {
    saveFive(RANKS, 1);
    deleteAll(memoryOf(0));
    deleteAll(memoryOf(1));
    assertEquals(5, recover(RANKS, 1));
  }

  /** First the rank's own, then the peer's too. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void ofADamagedCopyTheOtherIsTaken(int ranksOfANode) throws IOException {
    saveFive(RANKS, ranksOfANode);
    List<Path> both = files(folder, "rank-00002.data").stream().filter(file -> !file.startsWith(checkpoints)).toList();
    assertEquals(2, both.size(), both::toString);
    long step = 5;
    for (Path copy : both) {
      byte[] bytes = Files.readAllBytes(copy);
      bytes[bytes.length / 3] ^= 1;
      Files.write(copy, bytes);
      assertEquals(step, recover(RANKS, ranksOfANode));
      step = 3;
    }
  }

  @ParameterizedTest
  @CsvSource({"4,1,2,1,5", "4,2,3,1,5", "2,1,4,2,5", "1,1,3,1,5", "5,5,2,2,5", "3,1,1,1,3", "5,1,5,5,3"})
  void anotherLayoutLoadsItWhereTheNodesAreThatHoldIt(
      int savers, int saversOfANode, int loaders, int loadersOfANode, long step) {
    saveFive(savers, saversOfANode);
    assertEquals(step, recover(loaders, loadersOfANode));
  }

  /** And whoever reads one from memory need not have the strategy that wrote it. */
  @Test
  void anotherStrategyLoadsIt() {
    saveFive(RANKS, 1);
    deleteAll(memoryOf(2));
    List<Long> steps =
        ThreadWorld.run(
            RANKS,
            world -> {
              try (var session = Way.ASYNC.open(checkpoints, world, 2, disk(world, 1))) {
                return loadNewest(world, session);
              }
            });
    assertEquals(List.of(5L, 5L, 5L, 5L), steps);
  }

  /** What comes from another node is nobody else's business, and nothing of it stays. */
  @Test
  void whatIsReceivedIsPrivateAndGoesAgainWithItsFolders() {
    saveFive(RANKS, 1);
    deleteAll(folder.resolve("node-2"));
    var seen = new ConcurrentLinkedQueue<String>();
    ThreadWorld.run(
        RANKS,
        world -> {
          var disk =
              new QuickDisk() {
                @Override
                public boolean isThere(Path file) {
                  return super.isThere(file) && file.startsWith(node(world, 1));
                }

                @Override
                public Output createInMemory(Path file) throws IOException {
                  Path root = file.getParent().getParent().getParent();
                  seen.add(root.getParent().getFileName() + " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(root)));
                  return super.createInMemory(file);
                }
              };
          try (var session = Way.ASYNC.open(checkpoints, world, 2, disk)) {
            assertEquals(5, loadNewest(world, session));
          }
          return null;
        });
    assertTrue(seen.contains("node-2 rwx------"), seen::toString);
    assertTrue(seen.stream().allMatch(folder -> folder.endsWith(" rwx------")), seen::toString);
    assertEquals(List.of(), files(folder, "node-2").stream().flatMap(node -> files(node, "(hirundo|rank)-.*").stream()).toList());
  }

  @Test
  void aManifestThatIsDamagedGoesWithItsData() throws IOException {
    saveFive(1, 1);
    Files.writeString(checkpoints.resolve("memory/step-00000005/manifest.json"), "{");
    try (var session = open(ThreadWorld.alone(), 1, new QuickDisk())) {
      session.save(state(ThreadWorld.alone(), 6)).awaitDurable();
      assertEquals(List.of("step-00000006"), names(checkpoints.resolve("memory")));
      Files.writeString(checkpoints.resolve("memory/step-00000006/manifest.json"), "{");
      session.saveDurably(state(ThreadWorld.alone(), 7)).awaitDurable();
    }
    assertEquals(List.of(), names(checkpoints.resolve("memory")));
    assertEquals(List.of(), names(folder.resolve("node-0")));
  }

  @Test
  void memoryHoldsNoMoreThanItMay() throws IOException {
    saveFive(RANKS, 1);
    assertEquals(List.of("step-00000005"), names(checkpoints.resolve("memory")));
    assertEquals(List.of("latest", "memory", "step-00000003"), names(checkpoints));
    // Of one save, on each node its own and that of another.
    assertEquals(2 * RANKS, files(folder, "rank-.*\\.data").stream().filter(file -> !file.startsWith(checkpoints)).count());
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void whatIsOnStorageMakesCopiesSuperfluousWhenTheRunEnds() throws IOException {
    saveFive(RANKS, 2);
    ThreadWorld.run(
        RANKS,
        world -> {
          try (var session = open(world, 2, disk(world, 2))) {
            assertFalse(session.saveDurably(state(world, 6)).awaitDurable().isInMemory());
            assertEquals(List.of(6L, 5L, 3L), session.list().stream().map(CheckpointInfo::step).toList());
          }
          return null;
        });
    assertEquals(List.of(), names(checkpoints.resolve("memory")));
    assertEquals(List.of(), names(folder.resolve("node-0")));
    assertEquals(List.of(), names(folder.resolve("node-1")));
    assertEquals(6, recover(RANKS, 2));
  }

  @Test
  void anInterruptedRunsRemainsAreRemoved() throws IOException {
    saveFive(2, 1);
    Path stale = memoryOf(1).resolve("0123456789abcdef");
    Files.createDirectories(stale);
    Files.writeString(stale.resolve("rank-00001.data"), "half");
    assertEquals(5, recover(2, 1));
    assertFalse(Files.exists(stale));
  }

  @Test
  void tooLittleRoomIsSaidOnce() {
    List<String> reasons =
        ThreadWorld.run(
            2,
            world -> {
              var small =
                  new QuickDisk() {
                    @Override
                    public long usableBytes(Path folder) {
                      return world.rank() == 1 ? 100_000 : Long.MAX_VALUE / 2;
                    }
                  };
              try (var session = open(world, 1, small)) {
                return assertThrows(CheckpointException.class, () -> session.save(state(world, 1)).awaitDurable()).getMessage();
              }
            });
    for (String reason : reasons) {
      assertTrue(reason.contains("has room for 97.7 KiB, but checkpoints in memory need 240 KiB there, of 1 ranks"), reason);
    }
    assertTrue(reasons.getFirst().contains("rank 1: "), reasons.getFirst());
  }

  @Test
  void aRankThatWouldBeItsOwnPeerIsRefused() {
    var device = new HostDevice();
    ThreadWorld.run(
        2,
        world -> {
          var context = new CheckpointContext(checkpoints, world, device, device.newQueue("test"));
          var options = new TieredOptions(2, 0, 4096, 8192, 60, 3, new MemoryOptions(folder.toString(), 1, 4));
          var failure =
              assertThrows(
                  ConfigurationException.class, () -> DcpSession.tiered(context, options, "test 1", new QuickDisk()));
          assertTrue(failure.getMessage().contains("memory.peerDistance is 4"), failure.getMessage());
          return null;
        });
  }
}
