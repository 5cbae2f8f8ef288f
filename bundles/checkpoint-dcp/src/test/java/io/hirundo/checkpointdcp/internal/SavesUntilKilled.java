package io.hirundo.checkpointdcp.internal;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * A process that saves state after state, by two ranks and without a pause, until somebody kills it. Says the step of each checkpoint
 * once it is durable.
 */
final class SavesUntilKilled {
  private static final int RANKS = 2;
  /** Made before, so that nearly all time is spent in saves; those of neighbouring steps differ. */
  private static final int STATES = 3;

  private static final Shape MATRIX = Shape.of(200, 331);
  private static final Shape VECTOR = Shape.of(50_000);

  private SavesUntilKilled() {}

  /** {@code arguments}: the strategy, and the folder. */
  public static void main(String[] arguments) {
    Way way = Way.valueOf(arguments[0]);
    ThreadWorld.run(RANKS, world -> saveForever(way, Path.of(arguments[1]), world));
  }

  private static Void saveForever(Way way, Path directory, World world) {
    try (var session = way.open(directory, world, 3, new DiskOperations())) {
      // Rank 0 has removed leftovers when the others look.
      world.along().barrier();
      long step = session.list().stream().mapToLong(CheckpointInfo::step).findFirst().orElse(0);
      world.along().barrier();
      List<List<StateShard>> states = LongStream.range(0, STATES).mapToObj(seed -> shards(seed, world.rank())).toList();
      PendingSave before = null;
      while (true) {
        step++;
        PendingSave save = session.save(new TrainingState(step, states.get((int) (step % STATES)), Map.of()));
        if (before != null) {
          say(world, before.awaitDurable().step());
        }
        before = save;
      }
    }
  }

  private static void say(World world, long what) {
    if (world.rank() == 0) {
      System.out.println(what);
      System.out.flush();
    }
  }

  private static List<StateShard> shards(long seed, int rank) {
    return List.of(
        States.filled(seed, "matrix", DType.BF16, MATRIX, half(MATRIX, rank)),
        States.filled(seed, "vector", DType.FP32, VECTOR, half(VECTOR, rank)));
  }

  private static Piece half(Shape whole, int rank) {
    long rows = whole.dim(0) / RANKS;
    return whole.rank() == 1
        ? new Piece(List.of(rank * rows), Shape.of(rows))
        : new Piece(List.of(rank * rows, 0L), Shape.of(rows, whole.dim(1)));
  }

  /** Loads all of a checkpoint by one rank, and compares it with what was saved at its step. */
  static void assertLoads(CheckpointSession session, CheckpointInfo checkpoint) {
    var into =
        List.of(
            States.empty("matrix", DType.BF16, MATRIX, States.whole(MATRIX)),
            States.empty("vector", DType.FP32, VECTOR, States.whole(VECTOR)));
    session.load(checkpoint, into);
    into.forEach(shard -> States.assertHolds(checkpoint.step() % STATES, shard));
  }
}
