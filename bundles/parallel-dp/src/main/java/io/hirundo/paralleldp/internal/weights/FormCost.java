package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory in bytes that a change of the form of a layout's weights takes.
 *
 * @param present that the weights hold now
 * @param most while they change
 * @param after when they have changed
 * @param staying of what a gather in the new form brings, until it is forgotten
 * @param passing only until the gather has ended
 * @param largest of the tensors
 */
record FormCost(long present, long most, long after, long staying, long passing, long largest) {
  /** No device rounds allocations up to more. */
  private static final long ALIGNMENT_BYTES = 512;

  /** What an allocation may take. */
  static long allocated(long byteSize) {
    return Math.ceilDiv(byteSize, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
  }

  /** What is taken beyond what is held now, while one layout after the other changes and then weights are gathered. */
  static long additional(List<FormCost> costs, List<GatheredTogether> gathers) {
    long now = 0;
    long most = 0;
    for (FormCost cost : costs) {
      most = Math.max(most, now + cost.most - cost.present);
      now += cost.after - cost.present;
    }
    for (GatheredTogether each : gathers) {
      long staying = each.here().stream().distinct().mapToLong(index -> costs.get(index).staying).sum();
      long passing = each.onTheirWay().stream().distinct().mapToLong(index -> costs.get(index).passing).sum();
      most = Math.max(most, now + staying + passing);
    }
    return most;
  }

  /**
   * Allocates it, in pieces no larger than the largest tensor, and frees it.
   *
   * @throws io.hirundo.DeviceException where there is no room
   */
  static void rehearse(Device device, List<FormCost> costs, List<GatheredTogether> gathers) {
    long largest = costs.stream().mapToLong(FormCost::largest).max().orElse(0);
    var pieces = new ArrayList<Tensor>();
    try {
      for (long left = additional(costs, gathers); left > 0; left -= pieces.getLast().byteSize()) {
        long elements = Math.ceilDiv(Math.min(left, Math.max(largest, ALIGNMENT_BYTES)), Float.BYTES);
        pieces.add(device.allocate(MemoryCategory.WEIGHTS, Shape.of(elements), DType.FP32));
      }
    } finally {
      pieces.forEach(Tensor::close);
    }
  }
}
