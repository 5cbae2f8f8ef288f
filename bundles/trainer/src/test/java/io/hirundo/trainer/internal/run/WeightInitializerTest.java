package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.device.MemoryCategory;
import io.hirundo.model.Initialization;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class WeightInitializerTest {
  private static final Initialization NORMAL = Initialization.normal(0.02);
  private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final String PATH = "model.layers.0.mlp.up_proj.weight";

  private final WeightInitializer initializer = new WeightInitializer(1234);

  @Test
  void theDistributionIsNormal() {
    int count = 200_000;
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    for (int i = 0; i < count; i++) {
      double value = initializer.value(PATH, i, NORMAL) / 0.02;
      sum += value;
      squares += value * value;
      fourths += value * value * value * value;
    }
    assertEquals(0, sum / count, 0.01);
    assertEquals(1, squares / count, 0.02);
    assertEquals(3, fourths / count, 0.1);
  }

  @Test
  void valuesDependOnSeedNameAndIndex() {
    double value = initializer.value(PATH, 7, NORMAL);
    assertEquals(value, new WeightInitializer(1234).value(PATH, 7, NORMAL));
    assertNotEquals(value, new WeightInitializer(1235).value(PATH, 7, NORMAL));
    assertNotEquals(value, initializer.value(PATH, 8, NORMAL));
    assertNotEquals(value, initializer.value("model.layers.1.mlp.up_proj.weight", 7, NORMAL));
  }

  @Test
  void aShardHoldsTheValuesOfTheWholeTensor() {
    Shape whole = Shape.of(6, 5);
    float[] all = initialize(ParameterPart.whole(PATH, whole));
    float[] shard = initialize(new ParameterPart(PATH, whole, List.of(2L, 1L), Shape.of(3, 4)));
    for (int row = 0; row < 3; row++) {
      for (int column = 0; column < 4; column++) {
        assertEquals(all[(row + 2) * 5 + column + 1], shard[row * 4 + column]);
      }
    }
  }

  @Test
  void partsOfAFusedParameterAreInitializedUnderTheirOwnNames() {
    var first = ParameterPart.whole("a", Shape.of(2, 3));
    var second = ParameterPart.whole("b", Shape.of(1, 3));
    float[] fused = initialize(first, second);
    float[] alone = initialize(second);
    for (int column = 0; column < 3; column++) {
      assertEquals(alone[column], fused[6 + column]);
    }
  }

  @Test
  void theValuesAreTheSameInEveryVersion() {
    var part = new ParameterPart(PATH, Shape.of(5, 30_011), List.of(1L, 3L), Shape.of(4, 30_007));
    var vector = ParameterPart.whole("model.norm.weight", Shape.of(40_001));
    assertEquals(
        List.of(43_905_258L, 4_163_148_168L, 2_839_164_747L),
        List.of(crc(DType.FP32, NORMAL, part), crc(DType.FP64, NORMAL, part), crc(DType.FP32, new Initialization(1, 0.5), vector)));
  }

  private long crc(DType dtype, Initialization initialization, ParameterPart part) {
    var crc = new CRC32();
    crc.update(initialize(dtype, new ParameterSpec("parameter", List.of(part), initialization)));
    return crc.getValue();
  }

  private float[] initialize(ParameterPart... parts) {
    byte[] bytes = initialize(DType.FP32, new ParameterSpec("parameter", List.of(parts), NORMAL));
    return MemorySegment.ofArray(bytes).toArray(FP32);
  }

  private byte[] initialize(DType dtype, ParameterSpec spec) {
    var ledger = new AccountedLedger(1L << 30);
    try (var device = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.REFERENCE)).open(0, ledger);
        var queue = device.newQueue("test");
        Tensor value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), dtype);
        Arena arena = Arena.ofConfined()) {
      initializer.initialize(device, queue, new Fixed(spec, value));
      MemorySegment host = arena.allocate(value.byteSize(), 64);
      device.transfer().download(queue, value, host);
      queue.drain();
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private record Fixed(ParameterSpec spec, Tensor value) implements Parameter {
    @Override
    public Tensor gradient() {
      throw new AssertionError("not asked for");
    }
  }
}
