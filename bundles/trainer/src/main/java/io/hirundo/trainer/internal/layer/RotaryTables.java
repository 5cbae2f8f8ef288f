package io.hirundo.trainer.internal.layer;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.LayerSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Cosine and sine tables of the rotary embedding (RoPE), computed in double precision. Layers with equal parameters share a table. */
final class RotaryTables implements AutoCloseable {
  /**
   * One pair of tables.
   *
   * @param cosPD2 [positions, D/2]
   * @param sinPD2 [positions, D/2]
   */
  record Table(Tensor cosPD2, Tensor sinPD2) {}

  private record Key(List<Double> inverseFrequencies, int positions) {}

  private final Device device;
  private final Queue queue;
  private final DType dtype;
  private final Map<Key, Table> tables = new LinkedHashMap<>();

  RotaryTables(Device device, Queue queue, DType activationType) {
    this.device = device;
    this.queue = queue;
    // FP32, because bfloat16's 8 significant bits are too few for the angles of large positions.
    this.dtype = activationType == DType.FP64 ? DType.FP64 : DType.FP32;
  }

  Table of(LayerSpec.Attention spec) {
    return tables.computeIfAbsent(
        new Key(spec.inverseFrequencies(), spec.maximumPositions()),
        key -> new Table(table(key, Math::cos), table(key, Math::sin)));
  }

  private Tensor table(Key key, DoubleUnaryOperator function) {
    int pairs = key.inverseFrequencies().size();
    Tensor table = device.allocate(MemoryCategory.WORKSPACE, Shape.of(key.positions(), pairs), dtype);
    if (!device.computes()) {
      return table;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(table.byteSize(), 8);
      for (int position = 0; position < key.positions(); position++) {
        for (int pair = 0; pair < pairs; pair++) {
          double value = function.applyAsDouble(position * key.inverseFrequencies().get(pair));
          long index = (long) position * pairs + pair;
          if (dtype == DType.FP64) {
            host.setAtIndex(ValueLayout.JAVA_DOUBLE, index, value);
          } else {
            host.setAtIndex(ValueLayout.JAVA_FLOAT, index, (float) value);
          }
        }
      }
      device.transfer().uploadAtOnce(queue, host, table);
    }
    return table;
  }

  @Override
  public void close() {
    var open = new ArrayList<>(tables.values());
    tables.clear();
    for (Table table : open) {
      table.cosPD2().close();
      table.sinPD2().close();
    }
  }
}
