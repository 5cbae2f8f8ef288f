package __package__;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A piece that is to be filled, in host memory. */
final class __Name__Target {
  private final StateShard shard;
  private final __Name__Piece piece;
  private final MemorySegment bytes;
  private long filled;
  private boolean isKnown;

  private __Name__Target(StateShard shard, MemorySegment bytes) {
    this.shard = shard;
    this.piece = __Name__Piece.of(shard);
    this.bytes = bytes;
  }

  static __Name__Target of(StateShard shard, Arena arena) {
    return new __Name__Target(shard, arena.allocate(Math.max(1, shard.local().byteSize())));
  }

  StateShard shard() {
    return shard;
  }

  MemorySegment bytes() {
    return bytes;
  }

  /** Takes what a saved piece has of it. */
  void take(__Name__Piece saved, MemorySegment from) {
    if (!saved.key().equals(piece.key())) {
      return;
    }
    if (saved.dtype() != piece.dtype() || !saved.whole().equals(piece.whole())) {
      throw new ConfigurationException(
          piece.key() + " was saved as " + saved.dtype() + " " + saved.whole() + ", but " + piece.dtype() + " " + piece.whole()
              + " is wanted: the model or the precision is another one");
    }
    isKnown = true;
    filled += saved.copyTo(from, piece, bytes);
  }

  /** Pieces that were saved do not overlap: so many elements are all of them. What is not there at all is of another model. */
  void requireWhole(Path folder) {
    if (!isKnown) {
      throw new ConfigurationException(piece.key() + " is not in " + folder + ": the model is another one");
    }
    if (filled != shard.local().elements()) {
      throw new CheckpointException(
          piece.key() + " is not whole in " + folder + ": " + filled + " of " + shard.local().elements() + " elements are there");
    }
  }
}
