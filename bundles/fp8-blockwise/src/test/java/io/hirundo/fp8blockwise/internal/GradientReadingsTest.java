package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.lib.precision.QuantizedGemms;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How often the gradients of a layer read dy: what a device does for it, call by call. */
class GradientReadingsTest {
    private static final int TOKENS = 33;
    private static final int INPUTS = 144;
    private static final int OUTPUTS = 272;

    private final List<String> calls = new ArrayList<>();

    /** Those of the device, which are told by name, with the extents of what is quantized. */
    private BlockScaledKernels recorded(BlockScaledKernels kernels) {
        return (BlockScaledKernels) Proxy.newProxyInstance(
                BlockScaledKernels.class.getClassLoader(),
                new Class<?>[] {BlockScaledKernels.class},
                (proxy, method, arguments) -> {
                    calls.add(method.getName() + (arguments[1] instanceof Tensor x ? " " + x.shape() : ""));
                    try {
                        return method.invoke(kernels, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    @Test
    void readsTheOutputGradientOnceForBothGradients() {
        try (Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)))) {
            var kernels = recorded(bench.device().kernels().blockScaled().orElseThrow());
            var quantizer = new BlockQuantizer(kernels, Optional.empty(), ScaleRule.POWER_OF_TWO, DType.FP8_E4M3);
            Tensor dy = bench.tensor(DType.BF16, i -> i % 7, TOKENS, OUTPUTS);
            Tensor x = bench.tensor(DType.BF16, i -> i % 5, TOKENS, INPUTS);
            Tensor dx = bench.tensor(DType.BF16, i -> 0, TOKENS, INPUTS);
            Tensor dw = bench.tensor(DType.FP32, i -> 0, OUTPUTS, INPUTS);
            try (LinearMath math = new QuantizedGemms(
                            bench.device(), kernels, new LinearShape("mlp.up", OUTPUTS, INPUTS), quantizer);
                    PreparedWeight weight =
                            math.prepare(bench.queue(), bench.tensor(DType.FP32, i -> i % 3, OUTPUTS, INPUTS), null)) {
                calls.clear();
                try (GradientPair gradients = math.gradients(bench.queue(), dy, weight, dw)) {
                    gradients.input(dx);
                    gradients.weight(x);
                }
                assertEquals(
                        List.of("quantizeBoth [33, 272]", "multiplyNT", "quantizeTransposed [33, 144]", "multiplyNT"),
                        calls);
                calls.clear();
                math.inputGradient(bench.queue(), dy, weight, dx);
                math.weightGradient(bench.queue(), dy, x, dw);
                assertEquals(
                        List.of(
                                "quantize [33, 272]",
                                "multiplyNT",
                                "quantizeTransposed [33, 272]",
                                "quantizeTransposed [33, 144]",
                                "multiplyNT"),
                        calls);
            }
        }
    }
}
