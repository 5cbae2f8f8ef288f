package io.hirundo.commmpi.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.function.LongToDoubleFunction;

/** What a test's program has on each rank. */
record Rank(int number, World world, Device device, Queue queue, Ledger ledger) {
  /** All ranks. */
  ProcessGroup all() {
    return world.along(Axis.values());
  }

  Tensor tensor(DType dtype, long elements) {
    return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(elements), dtype);
  }

  CpuTensor tensor(DType dtype, long elements, LongToDoubleFunction value) {
    var tensor = (CpuTensor) tensor(dtype, elements);
    for (long i = 0; i < elements; i++) {
      tensor.setDouble(i, value.applyAsDouble(i));
    }
    return tensor;
  }

  static double[] values(Tensor tensor) {
    var values = new double[(int) tensor.elements()];
    for (int i = 0; i < values.length; i++) {
      values[i] = ((CpuTensor) tensor).getDouble(i);
    }
    return values;
  }
}
