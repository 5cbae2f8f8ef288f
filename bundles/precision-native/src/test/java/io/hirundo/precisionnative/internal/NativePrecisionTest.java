package io.hirundo.precisionnative.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.DeviceInfo;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.strategy.NoOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativePrecisionTest {
  private static final LinearShape LINEAR = new LinearShape("layers.0.mlp.down", 3, 5);

  private final List<String> calls = new ArrayList<>();

  @Test
  void forwardReadsTheWeightTransposed() {
    try (LinearMath math = math(DType.FP32)) {
      math.forward(null, named("x"), math.prepare(null, weight(DType.FP32, 3, 5), null), named("y"));
    }
    assertEquals(List.of("multiplyNT x w y false"), calls);
  }

  @Test
  void inputGradientOverwrites() {
    try (LinearMath math = math(DType.FP64)) {
      math.inputGradient(null, named("dy"), math.prepare(null, weight(DType.FP64, 3, 5), null), named("dx"));
    }
    assertEquals(List.of("multiplyNN dy w dx false"), calls);
  }

  @Test
  void weightGradientAccumulates() {
    try (LinearMath math = math(DType.FP32)) {
      math.weightGradient(null, named("dy"), named("x"), named("dw"));
    }
    assertEquals(List.of("multiplyTN dy x dw true"), calls);
  }

  @Test
  void preparedWeightFollowsTheLatestWeightAndLeavesItOpen() {
    try (LinearMath math = math(DType.FP32)) {
      PreparedWeight first = math.prepare(null, new FakeTensor("w1", DType.FP32, Shape.of(3, 5)), null);
      PreparedWeight second = math.prepare(null, new FakeTensor("w2", DType.FP32, Shape.of(3, 5)), first);
      math.forward(null, named("x"), second, named("y"));
      second.close();
    }
    assertEquals(List.of("multiplyNT x w2 y false"), calls);
  }

  @Test
  void refusesWeightsOfAnotherShapeOrType() {
    try (LinearMath math = math(DType.FP32)) {
      var shape = assertThrows(
          IllegalArgumentException.class, () -> math.prepare(null, weight(DType.FP32, 5, 3), null));
      assertEquals("weight of layers.0.mlp.down must be FP32 [3, 5], not FP32 [5, 3]", shape.getMessage());
      assertThrows(IllegalArgumentException.class, () -> math.prepare(null, weight(DType.FP64, 3, 5), null));
    }
  }

  @Test
  void refusesWhatAnotherStrategyPrepared() {
    try (LinearMath math = math(DType.FP32)) {
      PreparedWeight foreign = () -> {};
      assertThrows(IllegalArgumentException.class, () -> math.forward(null, named("x"), foreign, named("y")));
    }
  }

  @Test
  void typesFollowTheName() {
    var single = new Fp32Factory().create(new NoOptions());
    var twice = new Fp64Factory().create(new NoOptions());
    assertEquals(DType.FP32, single.parameterType());
    assertEquals(DType.FP32, single.activationType());
    assertEquals(DType.FP64, twice.parameterType());
    assertEquals(DType.FP64, twice.activationType());
  }

  @Test
  void saysWhyALayerIsNotServed() {
    var strategy = new Fp32Factory().create(new NoOptions());
    var device = new DeviceInfo("cpu", 0, "a machine", "x86-64", 1 << 30);
    assertTrue(strategy.supports(device, LINEAR).supported());
    var refused = strategy.supports(device, new LinearShape("empty", 0, 5));
    assertFalse(refused.supported());
    assertTrue(refused.reason().contains("empty"), refused.reason());
  }

  private LinearMath math(DType type) {
    return new NativeLinearMath(gemm(), LINEAR, type);
  }

  private GemmKernels gemm() {
    return (GemmKernels)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {GemmKernels.class},
            (proxy, method, arguments) -> {
              var words = Arrays.stream(arguments).skip(1).map(String::valueOf).toList();
              calls.add(method.getName() + " " + String.join(" ", words));
              return null;
            });
  }

  private static Tensor weight(DType type, long outputs, long inputs) {
    return new FakeTensor("w", type, Shape.of(outputs, inputs));
  }

  private static Tensor named(String name) {
    return new FakeTensor(name, DType.FP32, Shape.of(1));
  }

  private record FakeTensor(String name, DType dtype, Shape shape) implements Tensor {
    @Override
    public Tensor view(long elementOffset, Shape window) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      throw new AssertionError(name + " closed by one who does not own it");
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
