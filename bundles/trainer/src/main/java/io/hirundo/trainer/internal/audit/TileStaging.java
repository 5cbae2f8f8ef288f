package io.hirundo.trainer.internal.audit;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.lifecycle.Opened;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Device memory for the copies of one tile, as much as the largest needs, for as long as the run goes on. */
final class TileStaging implements AutoCloseable {
  private final Device device;
  private final Map<DType, Tensor> memory = new EnumMap<>(DType.class);
  private final Map<DType, Long> used = new EnumMap<>(DType.class);
  private final Opened opened = new Opened();

  TileStaging(Device device, List<ProductPlan> plans) {
    this.device = device;
    var most = new EnumMap<DType, Long>(DType.class);
    plans.forEach(plan -> plan.copiedElements().forEach((dtype, elements) -> most.merge(dtype, elements, Math::max)));
    try {
      most.forEach(
          (dtype, elements) ->
              memory.put(
                  dtype, opened.add(device.allocate(MemoryCategory.WORKSPACE, Shape.of(elements), dtype), Tensor::close)));
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  /** Where a copy lies; its host memory is there after {@link #download}. */
  record Copy(DType dtype, long firstElement, Shape shape) {}

  /** Room for a copy, behind those before it. */
  Copy take(DType dtype, Shape shape) {
    long first = used.getOrDefault(dtype, 0L);
    used.put(dtype, first + shape.elements());
    return new Copy(dtype, first, shape);
  }

  Tensor tensor(Copy copy) {
    return memory.get(copy.dtype()).view(copy.firstElement(), copy.shape());
  }

  /** Copies everything to the host, and forgets it here. Waits for the queue. */
  Map<DType, MemorySegment> download(Queue queue, Arena arena) {
    var host = new EnumMap<DType, MemorySegment>(DType.class);
    used.forEach(
        (dtype, elements) -> {
          Tensor all = memory.get(dtype).view(0, Shape.of(elements));
          MemorySegment bytes = arena.allocate(all.byteSize(), Double.BYTES);
          device.transfer().download(queue, all, bytes);
          host.put(dtype, bytes);
        });
    queue.drain();
    clear();
    return host;
  }

  /** Forgets what was copied. */
  void clear() {
    used.clear();
  }

  @Override
  public void close() {
    opened.close();
  }
}
