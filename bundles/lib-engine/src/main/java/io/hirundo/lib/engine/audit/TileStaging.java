package io.hirundo.lib.engine.audit;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Device buffers for the copies of one tile, and for the accumulators of further tiles of its GEMM. Sized for the largest, kept for the run. */
final class TileStaging implements AutoCloseable {
    private final Device device;
    private final Map<DType, Tensor> memory = new EnumMap<>(DType.class);
    private final Map<DType, Long> used = new EnumMap<>(DType.class);
    /** The part of {@link #used} that stays after a download. */
    private final Map<DType, Long> kept = new EnumMap<>(DType.class);

    private final Opened opened = new Opened();

    /** {@code tiles}: maximum number of tiles of one GEMM. */
    TileStaging(Device device, List<GemmPlan> plans, int tiles) {
        this.device = device;
        var most = new EnumMap<DType, Long>(DType.class);
        plans.forEach(plan ->
                plan.stagedElements(tiles).forEach((dtype, elements) -> most.merge(dtype, elements, Math::max)));
        try {
            most.forEach((dtype, elements) -> memory.put(
                    dtype,
                    opened.add(device.allocate(MemoryCategory.WORKSPACE, Shape.of(elements), dtype), Tensor::close)));
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** Position of a copy in the buffer. Its host memory is valid after {@link #download}. */
    record Copy(DType dtype, long firstElement, Shape shape) {}

    /** Reserves space for a copy after the previous ones. */
    Copy take(DType dtype, Shape shape) {
        long first = used.getOrDefault(dtype, 0L);
        used.put(dtype, first + shape.elements());
        return new Copy(dtype, first, shape);
    }

    Tensor tensor(Copy copy) {
        return memory.get(copy.dtype()).view(copy.firstElement(), copy.shape());
    }

    /** Keeps the present copies until {@link #clear}. */
    void keep() {
        kept.putAll(used);
    }

    /** Downloads all copies and discards those that are not kept. Waits for the queue. */
    Map<DType, MemorySegment> download(Queue queue, Arena arena) {
        var host = new EnumMap<DType, MemorySegment>(DType.class);
        used.forEach((dtype, elements) -> {
            Tensor all = memory.get(dtype).view(0, Shape.of(elements));
            MemorySegment bytes = arena.allocate(all.byteSize(), Double.BYTES);
            device.transfer().download(queue, all, bytes);
            host.put(dtype, bytes);
        });
        queue.drain();
        used.clear();
        used.putAll(kept);
        return host;
    }

    /** Discards all copies. */
    void clear() {
        kept.clear();
        used.clear();
    }

    @Override
    public void close() {
        opened.close();
    }
}
