package io.hirundo.checkpointdcp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.CheckpointException;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Ranks that save to the memory of their nodes. A node is a folder: ranks that are given the same one share a node, others pass each
 * other bytes.
 *
 * @param folder of the nodes, and of the run
 */
record Nodes(Path folder) {
  /** Odd, in two bytes: windows and messages do not end where elements of messages do. */
  private static final Shape WIDE = Shape.of(67, 301);

  Path checkpoints() {
    return folder.resolve("run").resolve("checkpoints");
  }

  /** {@code ranksOfANode}: consecutive ones. */
  Path node(World world, int ranksOfANode) {
    return folder.resolve("node-" + world.rank() / ranksOfANode);
  }

  /** Files in the memory of other nodes are not there. */
  FileOperations disk(World world, int ranksOfANode) {
    return new QuickDisk() {
      @Override
      public boolean isThere(Path file) {
        return super.isThere(file) && (!file.startsWith(folder) || file.startsWith(node(world, ranksOfANode)));
      }
    };
  }

  DcpSession open(World world, int ranksOfANode, FileOperations files) {
    Path memory = node(world, ranksOfANode);
    memory.toFile().mkdirs();
    return open(checkpoints(), world, memory, 3, files);
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

  static TrainingState state(World world, long step) {
    return new TrainingState(step, rows(world, step), Map.of("step", step));
  }

  /** Steps 1 and 2 to memory, 3 to storage, 4 and 5 to memory. */
  void saveFive(int ranks, int ranksOfANode) {
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
  long recover(int ranks, int ranksOfANode) {
    return ThreadWorld.run(
            ranks,
            world -> {
              try (var session = open(world, ranksOfANode, disk(world, ranksOfANode))) {
                return loadNewest(world, session);
              }
            })
        .getFirst();
  }

  static long loadNewest(World world, CheckpointSession session) {
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

  static List<Path> files(Path folder, String name) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.getFileName().toString().matches(name)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void deleteAll(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What a rank has in memory, wherever its node is. */
  Path memoryOf(int rank) {
    return files(folder, "rank-%05d".formatted(rank)).getFirst();
  }
}
