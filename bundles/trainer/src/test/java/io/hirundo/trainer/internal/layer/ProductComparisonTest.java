package io.hirundo.trainer.internal.layer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.Initialization;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.precision.LinearShape;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProductComparisonTest {
  private static final int OUTPUTS = 6;
  private static final int INPUTS = 4;
  private static final int TOKENS = 5;

  /** Takes in this many more requests for memory. */
  private static final class Scarce implements DeviceLedger {
    private int left = Integer.MAX_VALUE;
    private int asked;

    @Override
    public void reserve(MemoryCategory category, long bytes) {
      asked++;
      if (left-- <= 0) {
        throw new DeviceException("no memory is left");
      }
    }

    @Override
    public void release(MemoryCategory category, long bytes) {}

    @Override
    public void work(String kernel, long flops, long movedBytes) {}
  }

  private record Weight(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

  @Test
  void whereMemoryRunsOutTheWorkIsDoneAllTheSame() {
    Scarce plenty = new Scarce();
    float[] expected = gradientOfTwoMicrobatches(plenty, Integer.MAX_VALUE, "");
    for (int left = 0; left < plenty.asked; left++) {
      assertArrayEquals(expected, gradientOfTwoMicrobatches(new Scarce(), left, "no memory is left"), "after " + left);
    }
    assertTrue(plenty.asked > 10, "requests: " + plenty.asked);
  }

  /** All products twice, compared with those in bfloat16; {@code left}: requests for memory that are granted to that. */
  private static float[] gradientOfTwoMicrobatches(Scarce ledger, int left, String failure) {
    var backend = new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR));
    var part = ParameterPart.whole("w", Shape.of(OUTPUTS, INPUTS));
    var spec = new ParameterSpec("w", List.of(part), Initialization.ONES);
    var linear = new LinearShape("w", OUTPUTS, INPUTS);
    var plain = new DeviceProducts(DType.FP32);
    var rounding = new Bf16Factory().create(new NoOptions());
    try (Device device = backend.open(0, ledger);
        Queue queue = device.newQueue("test")) {
      var weight = new Weight(spec, filled(device, queue, OUTPUTS, INPUTS, 0.3), filled(device, queue, OUTPUTS, INPUTS, 0));
      Tensor xTK = filled(device, queue, TOKENS, INPUTS, 0.7);
      Tensor yTN = filled(device, queue, TOKENS, OUTPUTS, 0);
      Tensor dyTN = filled(device, queue, TOKENS, OUTPUTS, 0.9);
      Tensor dxTK = filled(device, queue, TOKENS, INPUTS, 0);
      var present = new PreparedMatrix(weight, plain.bind(device, linear));
      var other = new PreparedMatrix(weight, rounding.bind(device, linear));
      present.prepare(queue);
      try (var comparison = new ProductComparison(present, other, rounding, device, queue)) {
        ledger.left = left;
        ledger.asked = 0;
        present.compareWith(comparison);
        for (int microbatch = 0; microbatch < 2; microbatch++) {
          present.forward(queue, xTK, yTN);
          present.inputGradient(queue, dyTN, dxTK);
          present.weightGradient(queue, dyTN, xTK);
        }
        ProductErrors errors = comparison.errors(queue);
        assertEquals(!failure.isEmpty(), errors.failure().contains("memory"), errors::toString);
        assertTrue(errors.failure().contains(failure), errors::toString);
        return read(device, queue, weight.gradient());
      }
    }
  }

  private static Tensor filled(Device device, Queue queue, long rows, long columns, double value) {
    Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(rows, columns), DType.FP32);
    device.kernels().elementwise().fill(queue, tensor, value);
    return tensor;
  }

  private static float[] read(Device device, Queue queue, Tensor tensor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(tensor.byteSize(), 64);
      device.transfer().download(queue, tensor, host);
      queue.drain();
      return host.toArray(ValueLayout.JAVA_FLOAT);
    }
  }
}
