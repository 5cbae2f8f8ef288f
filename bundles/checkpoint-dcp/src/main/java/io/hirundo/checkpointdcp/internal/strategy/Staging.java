package io.hirundo.checkpointdcp.internal.strategy;

import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpointdcp.internal.save.ShardPlan;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Copies a rank's pieces from its device to host memory. Belongs to the rank's thread. */
public final class Staging {
    private final Device device;
    private final Queue queue;

    public Staging(Device device, Queue queue) {
        this.device = device;
        this.queue = queue;
    }

    /** Fills a window of the data file that begins at {@code begin}; what lies between pieces becomes zeros. Waits once. */
    void fill(ShardPlan plan, List<StateShard> shards, long begin, MemorySegment window) {
        long filled = 0;
        for (ShardPlan.Part part : plan.parts(begin, begin + window.byteSize())) {
            window.asSlice(filled, part.inWindow() - filled).fill((byte) 0);
            Tensor local = shards.get(part.entry().shard()).local();
            int elementBytes = local.dtype().byteSize();
            // Pieces and windows begin at multiples of more than an element.
            Tensor run = local.view(part.from() / elementBytes, Shape.of(part.bytes() / elementBytes));
            device.transfer().download(queue, run, window.asSlice(part.inWindow(), part.bytes()));
            filled = part.inWindow() + part.bytes();
        }
        window.asSlice(filled).fill((byte) 0);
        queue.drain();
    }
}
