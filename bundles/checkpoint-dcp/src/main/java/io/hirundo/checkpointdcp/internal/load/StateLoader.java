package io.hirundo.checkpointdcp.internal.load;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.format.DataFile;
import io.hirundo.checkpointdcp.internal.format.SavedCheckpoint;
import io.hirundo.checkpointdcp.internal.format.SavedShard;
import io.hirundo.checkpointdcp.internal.format.SavedTensor;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.tensor.SliceOverlap;
import io.hirundo.lib.tensor.TensorSlice;
import io.hirundo.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fills tensors from a checkpoint, whatever the pieces are that it was saved in. A tensor is filled window by window, so that
 * host memory does not grow with it.
 */
public final class StateLoader implements AutoCloseable {
    private static final long WINDOW_BYTES = 16L << 20;

    /** Elements that a saved piece gives to the wanted one. */
    private record Source(SavedShard shard, SliceOverlap overlap) {}

    private final SavedCheckpoint checkpoint;
    private final Device device;
    private final Queue queue;
    private final ChunkReader chunks;
    private final Arena arena = Arena.ofShared();
    private final Map<String, SavedTensor> tensors = new HashMap<>();

    public StateLoader(SavedCheckpoint checkpoint, Device device, Queue queue) {
        this.checkpoint = checkpoint;
        this.device = device;
        this.queue = queue;
        this.chunks = new ChunkReader(checkpoint);
        checkpoint.manifest().tensors().forEach(tensor -> tensors.put(tensor.key(), tensor));
    }

    public void load(List<StateShard> into) {
        into.forEach(this::check);
        long largestBytes =
                into.stream().mapToLong(shard -> shard.local().byteSize()).max().orElse(0);
        MemorySegment window = arena.allocate(Math.min(largestBytes, WINDOW_BYTES), DataFile.ALIGNMENT_BYTES);
        into.forEach(shard -> fill(shard, window));
    }

    /** All are checked before the first is filled. */
    private void check(StateShard wanted) {
        SavedTensor saved = tensors.get(wanted.key());
        if (saved == null) {
            throw misfit(wanted, "is not in it");
        }
        if (!saved.shape().equals(wanted.globalShape().dims())) {
            throw misfit(wanted, "is of shape " + new Shape(saved.shape()) + " there, not " + wanted.globalShape());
        }
        if (saved.dtype() != wanted.local().dtype()) {
            throw misfit(
                    wanted,
                    "is of " + saved.dtype() + " there, not " + wanted.local().dtype());
        }
        if (!piece(wanted).fits(wanted.globalShape())) {
            throw new IllegalArgumentException("a piece " + piece(wanted) + " leaves the tensor '" + wanted.key()
                    + "' of " + wanted.globalShape());
        }
    }

    private void fill(StateShard wanted, MemorySegment window) {
        SavedTensor saved = tensors.get(wanted.key());
        var sources = new ArrayList<Source>();
        for (SavedShard shard : saved.shards()) {
            SliceOverlap.of(shard.piece(), piece(wanted)).ifPresent(overlap -> sources.add(new Source(shard, overlap)));
        }
        int elementBytes = saved.dtype().byteSize();
        long windowElements = WINDOW_BYTES / elementBytes;
        for (long begin = 0; begin < wanted.local().elements(); begin += windowElements) {
            long end = Math.min(wanted.local().elements(), begin + windowElements);
            long filled = 0;
            for (Source source : sources) {
                filled += gather(saved, source, begin, window.asSlice(0, (end - begin) * elementBytes));
            }
            if (filled != end - begin) {
                throw new CheckpointException(checkpoint.folder() + ": tensor '" + wanted.key() + "' is not all there: "
                        + filled + " of " + (end - begin) + " elements");
            }
            device.transfer().upload(queue, window, wanted.local().view(begin, Shape.of(end - begin)));
            queue.drain();
        }
    }

    /** Copies what a source has of the wanted piece's elements from {@code begin} on into the window; returns how many. */
    private long gather(SavedTensor tensor, Source source, long begin, MemorySegment window) {
        SliceOverlap overlap = source.overlap();
        int elementBytes = tensor.dtype().byteSize();
        long end = begin + window.byteSize() / elementBytes;
        long copied = 0;
        for (long run = overlap.firstRunBehind(begin); run < overlap.runs() && overlap.inTarget(run) < end; run++) {
            long first = Math.max(begin, overlap.inTarget(run));
            long last = Math.min(end, overlap.inTarget(run) + overlap.runElements());
            long inSource = overlap.inSource(run) + first - overlap.inTarget(run);
            MemorySegment to = window.asSlice((first - begin) * elementBytes, (last - first) * elementBytes);
            chunks.read(tensor.key(), source.shard(), inSource * elementBytes, to);
            copied += last - first;
        }
        return copied;
    }

    private static TensorSlice piece(StateShard shard) {
        return new TensorSlice(shard.offset(), shard.local().shape());
    }

    /** Older checkpoints of the run will not fit either. */
    private ConfigurationException misfit(StateShard wanted, String what) {
        return new ConfigurationException(checkpoint.folder() + ": tensor '" + wanted.key() + "' " + what
                + "; resume with the configuration that it was made with, or begin another run");
    }

    @Override
    public void close() {
        chunks.close();
        arena.close();
    }
}
