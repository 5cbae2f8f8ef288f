package io.hirundo.lib.fabric;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Temporary memory of one rank in one group, for one lane. The rank's own thread allocates a chunk for the first collective that
 * needs one of its dtype or a larger one, and keeps it until the world closes. Live memory thus depends on program order only.
 * Sizes are powers of two, so all chunks of a dtype together take less than twice the largest.
 */
public final class Scratch implements AutoCloseable {
    /**
     * Elements of the largest chunk. Longer reductions run chunk by chunk; chunks are large because each kernel may wait for one
     * that computes.
     */
    public static final long MAX_ELEMENTS = 1 << 20;

    private final Device device;
    private final List<Tensor> chunks = new ArrayList<>();

    Scratch(Device device) {
        this.device = device;
    }

    /** A chunk of this many elements, at most {@link #MAX_ELEMENTS}. Later collectives share the memory. */
    Tensor chunk(DType dtype, long elements) {
        long needed = Math.min(elements, MAX_ELEMENTS);
        for (Tensor chunk : chunks) {
            if (chunk.dtype() == dtype && chunk.elements() >= needed) {
                return chunk;
            }
        }
        long size = Math.max(1, Long.highestOneBit(2 * needed - 1));
        Tensor chunk = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(size), dtype);
        chunks.add(chunk);
        return chunk;
    }

    @Override
    public void close() {
        chunks.forEach(Tensor::close);
        chunks.clear();
    }
}
