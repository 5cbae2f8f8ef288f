package io.hirundo.checkpointdcp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.checkpointdcp.internal.HostDevice.HostTensor;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Training states whose every byte is a function of a seed, the key and the place in the whole tensor. */
final class States {
  static final int CHUNK_BYTES = 4096;

  private States() {}

  static DcpSession open(Path directory, World world, int keepLast, FileOperations files) {
    return Way.SYNC.open(directory, world, keepLast, files);
  }

  static DcpSession open(Path directory) {
    return open(directory, ThreadWorld.alone(), 2, new DiskOperations());
  }

  static byte[] wholeBytes(long seed, String key, Shape shape, DType dtype) {
    var bytes = new byte[Math.toIntExact(shape.byteSize(dtype))];
    new Random(seed * 31 + key.hashCode()).nextBytes(bytes);
    return bytes;
  }

  /** A piece of the tensor, with its values. */
  static StateShard filled(long seed, String key, DType dtype, Shape whole, Piece piece) {
    StateShard shard = empty(key, dtype, whole, piece);
    byte[] bytes = expected(seed, shard);
    ((HostTensor) shard.local()).bytes().copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes));
    return shard;
  }

  static StateShard filled(long seed, String key, DType dtype, long... shape) {
    Shape whole = Shape.of(shape);
    return filled(seed, key, dtype, whole, whole(whole));
  }

  /** A piece to be loaded into. */
  static StateShard empty(String key, DType dtype, Shape whole, Piece piece) {
    return new StateShard(key, whole, piece.offset(), HostDevice.tensor(piece.shape(), dtype), 0);
  }

  static StateShard emptyLike(StateShard shard) {
    return empty(shard.key(), shard.local().dtype(), shard.globalShape(), new Piece(shard.offset(), shard.local().shape()));
  }

  static Piece whole(Shape shape) {
    return new Piece(java.util.Collections.nCopies(shape.rank(), 0L), shape);
  }

  /** What a piece must hold, element by element. */
  static byte[] expected(long seed, StateShard shard) {
    Shape whole = shard.globalShape();
    Shape piece = shard.local().shape();
    int elementBytes = shard.local().dtype().byteSize();
    byte[] from = wholeBytes(seed, shard.key(), whole, shard.local().dtype());
    if (piece.equals(whole)) {
      return from;
    }
    var bytes = new byte[Math.toIntExact(shard.local().byteSize())];
    for (int element = 0; element < piece.elements(); element++) {
      long left = element;
      long stride = 1;
      long inWhole = 0;
      for (int dim = whole.rank() - 1; dim >= 0; dim--) {
        inWhole += (shard.offset().get(dim) + left % piece.dim(dim)) * stride;
        left /= piece.dim(dim);
        stride *= whole.dim(dim);
      }
      System.arraycopy(from, (int) inWhole * elementBytes, bytes, element * elementBytes, elementBytes);
    }
    return bytes;
  }

  static void assertHolds(long seed, StateShard shard) {
    byte[] found = ((HostTensor) shard.local()).bytes().toArray(ValueLayout.JAVA_BYTE);
    assertEquals(-1, java.util.Arrays.mismatch(expected(seed, shard), found), shard.key());
  }

  /** Some tensors of several types and odd shapes. */
  static List<StateShard> shards(long seed) {
    return List.of(
        filled(seed, "model/a", DType.FP32, 37, 53),
        filled(seed, "model/b", DType.BF16, 300, 7),
        filled(seed, "optimizer/exp_avg/a", DType.FP64, 11, 13, 5),
        filled(seed, "counts", DType.INT32, 3),
        filled(seed, "scalar", DType.FP64),
        filled(seed, "none", DType.FP32, 0, 4));
  }

  static TrainingState state(long step, long seed) {
    return new TrainingState(step, shards(seed), Map.of("seed", seed, "step", step));
  }

  /** Loads all tensors of {@link #shards} and compares them. */
  static void assertLoads(CheckpointSession session, CheckpointInfo checkpoint, long seed) {
    List<StateShard> into = shards(seed).stream().map(States::emptyLike).toList();
    session.load(checkpoint, into);
    into.forEach(shard -> assertHolds(seed, shard));
    assertEquals(seed, session.values(checkpoint).get("seed"));
    assertEquals(checkpoint.step(), session.values(checkpoint).get("step"));
  }
}
