package io.hirundo.lib.engine.layer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.precision.StoredOperandGemms;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.Support;
import io.hirundo.precision.WeightSharers;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An observer gets unquantized operands of each GEMM. When it is removed, everything is as before. */
class ObservationTest {
    private static final Shape WEIGHT = Shape.of(6, 4);
    private static final int TOKENS = 5;

    private final List<String> asked = new ArrayList<>();

    @Test
    void stopsObservingWhenClosed() {
        var told = new ArrayList<String>();
        try (Device device = new CpuBackendFactory()
                        .create(new CpuOptions(1, CpuOptions.REFERENCE))
                        .open(0, new Books());
                Queue queue = device.newQueue("test");
                Tensor value = tensor(device, WEIGHT);
                Tensor gradient = tensor(device, WEIGHT);
                Tensor xTK = tensor(device, Shape.of(TOKENS, 4));
                Tensor dxTK = tensor(device, Shape.of(TOKENS, 4));
                Tensor dyTN = tensor(device, Shape.of(TOKENS, 6))) {
            var store = new ParameterStore(spec -> spec);
            try (var layers = new RankLayers(device, new Asked(), store, (_, _) -> null, WeightSharers.NONE)) {
                LocalMatrix matrix = layers.matrix(
                        new ParameterSpec("w", List.of(ParameterPart.whole("w", WEIGHT)), Initialization.ONES));
                store.bind(List.of(new Weight(matrix.weight().spec(), value, gradient)));
                layers.prepare(queue, store.all(), _ -> Optional.empty());

                try (var _ = layers.observe(
                        (_, weight, _, _) -> told.add(weight.spec().name()))) {
                    matrix.bothGradients(queue, dyTN, xTK, dxTK);
                    assertTrue(matrix.packed().isEmpty(), "packed operands would bypass the observer");
                }
                assertEquals(List.of("w"), told);
                assertEquals(List.of("dx", "dw"), asked);

                asked.clear();
                matrix.bothGradients(queue, dyTN, xTK, dxTK);
                assertFalse(matrix.packed().isEmpty(), "operands are unpacked without an observer");
                assertEquals(List.of("w"), told, "reported after the end");
                assertEquals(List.of("pair", "dx", "dw"), asked);
                queue.drain();
            }
        }
    }

    private static Tensor tensor(Device device, Shape shape) {
        return device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32);
    }

    private record Weight(ParameterSpec spec, Tensor value, Tensor gradient) implements Parameter {}

    /** The device's GEMMs, recording the calls. */
    private final class Asked implements PrecisionStrategy {
        @Override
        public DType parameterType() {
            return DType.FP32;
        }

        @Override
        public DType activationType() {
            return DType.FP32;
        }

        @Override
        public Support supports(DeviceInfo device, LinearShape shape) {
            return Support.YES;
        }

        @Override
        public LinearMath bind(Device device, LinearShape shape) {
            return new AskedMath(new StoredOperandGemms(device, shape, DType.FP32, DType.FP32), asked);
        }
    }

    private record AskedMath(LinearMath math, List<String> asked) implements LinearMath {
        @Override
        public PreparedWeight prepare(Queue queue, Tensor wNK, PreparedWeight reuse) {
            return math.prepare(queue, wNK, reuse);
        }

        @Override
        public void forward(Queue queue, Tensor xTK, PreparedWeight weight, Tensor yTN) {
            math.forward(queue, xTK, weight, yTN);
        }

        @Override
        public void inputGradient(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dxTK) {
            asked.add("dx");
            math.inputGradient(queue, dyTN, weight, dxTK);
        }

        @Override
        public void weightGradient(Queue queue, Tensor dyTN, Tensor xTK, Tensor dwNK) {
            asked.add("dw");
            math.weightGradient(queue, dyTN, xTK, dwNK);
        }

        @Override
        public GradientPair gradients(Queue queue, Tensor dyTN, PreparedWeight weight, Tensor dwNK) {
            asked.add("pair");
            return LinearMath.super.gradients(queue, dyTN, weight, dwNK);
        }

        /** Always present, but never called. */
        @Override
        public Optional<PackedProducts> packed() {
            Class<?>[] types = {PackedProducts.class};
            return Optional.of((PackedProducts)
                    Proxy.newProxyInstance(PackedProducts.class.getClassLoader(), types, (_, method, _) -> {
                        throw new AssertionError(method.toString());
                    }));
        }

        @Override
        public Optional<MultipliedOperand> multiplied(LinearProduct product, PreparedWeight weight) {
            return math.multiplied(product, weight);
        }

        @Override
        public void close() {
            math.close();
        }
    }
}
