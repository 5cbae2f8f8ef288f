package io.hirundo.lib.engine.audit;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Device buffers for a chunk of a collective: the input of this rank, the inputs of all ranks and the result. */
final class ChunkStaging implements AutoCloseable {
    private final Device device;
    private final Queue reading;
    private final int ranks;
    private final Map<DType, Tensor> memory = new EnumMap<>(DType.class);
    private final Opened opened = new Opened();

    /** {@code ranks}: size of the largest group. */
    ChunkStaging(Device device, Queue reading, Set<DType> types, int ranks) {
        this.device = device;
        this.reading = reading;
        this.ranks = ranks;
        Shape shape = Shape.of((ranks + 2L) * CollectiveAudit.CHUNK);
        try {
            types.forEach(dtype -> memory.put(
                    dtype, opened.add(device.allocate(MemoryCategory.COMMUNICATION, shape, dtype), Tensor::close)));
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    Tensor input(DType dtype, int elements) {
        return memory.get(dtype).view(0, Shape.of(elements));
    }

    Tensor output(DType dtype, int elements) {
        return memory.get(dtype).view(CollectiveAudit.CHUNK, Shape.of(elements));
    }

    /** {@code ofRanks} consecutive chunks. */
    Tensor all(DType dtype, int ofRanks, int elements) {
        if (ofRanks > ranks) {
            throw new IllegalArgumentException(ofRanks + " ranks, and there is memory for " + ranks);
        }
        return memory.get(dtype).view(2L * CollectiveAudit.CHUNK, Shape.of((long) ofRanks * elements));
    }

    void copy(Queue queue, Tensor from, Tensor to) {
        device.kernels().elementwise().copy(queue, from, to);
    }

    /** A queue for work that no queue of the step waits for. */
    Queue reading() {
        return reading;
    }

    @Override
    public void close() {
        opened.close();
    }
}
