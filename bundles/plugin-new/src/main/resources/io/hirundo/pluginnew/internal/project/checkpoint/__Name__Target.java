package __package__;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A shard to load, in host memory. */
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
        return new __Name__Target(
                shard, arena.allocate(Math.max(1, shard.local().byteSize())));
    }

    StateShard shard() {
        return shard;
    }

    MemorySegment bytes() {
        return bytes;
    }

    /** Copies the overlap with a saved shard. */
    void take(__Name__Piece saved, MemorySegment from) {
        if (!saved.key().equals(piece.key())) {
            return;
        }
        if (saved.dtype() != piece.dtype() || !saved.whole().equals(piece.whole())) {
            throw new ConfigurationException(
                    piece.key() + " was saved as " + saved.dtype() + " " + saved.whole() + ", but " + piece.dtype()
                            + " " + piece.whole() + " is needed: the model or the precision has changed");
        }
        isKnown = true;
        filled += saved.copyTo(from, piece, bytes);
    }

    /** Saved shards do not overlap, so the element count shows whether all are present. A tensor without any belongs to another model. */
    void requireWhole(Path folder) {
        if (!isKnown) {
            throw new ConfigurationException(piece.key() + " is not in " + folder + ": the model has changed");
        }
        if (filled != shard.local().elements()) {
            throw new CheckpointException(piece.key() + " is incomplete in " + folder + ": " + filled + " of "
                    + shard.local().elements() + " elements are present");
        }
    }
}
