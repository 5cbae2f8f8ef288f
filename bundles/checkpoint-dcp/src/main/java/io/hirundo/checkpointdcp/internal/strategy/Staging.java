package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.save.ShardPlan;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Copies a rank's shards from its device to host memory. Used by the rank's thread alone. */
public final class Staging {
    private final Device device;
    private final Queue queue;

    public Staging(Device device, Queue queue) {
        this.device = device;
        this.queue = queue;
    }

    /** Fills the window of the data file that begins at offset {@code begin}. Padding between shards becomes zeros. Waits once. */
    void fill(ShardPlan plan, List<StateShard> shards, long begin, MemorySegment window) {
        long filledBytes = 0;
        for (ShardPlan.Part part : plan.parts(begin, begin + window.byteSize())) {
            window.asSlice(filledBytes, part.inWindow() - filledBytes).fill((byte) 0);
            Tensor local = shards.get(part.entry().shard()).local();
            int elementBytes = local.dtype().byteSize();
            // Exact: shards and windows begin at multiples of DataFile.ALIGNMENT_BYTES, which every element size
            // divides.
            Tensor elements = local.view(part.from() / elementBytes, Shape.of(part.bytes() / elementBytes));
            device.transfer().download(queue, elements, window.asSlice(part.inWindow(), part.bytes()));
            filledBytes = part.inWindow() + part.bytes();
        }
        window.asSlice(filledBytes).fill((byte) 0);
        queue.drain();
    }
}
