package io.hirundo.devicecpu.internal.quantize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.quantize.QuantizerTest.Values;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Matrices with one scale. */
public class MatrixQuantizerTest {
    /** With its own largest magnitude. */
    public static void quantize(TestDevice device, CpuTensor x, ScaleRule rule, ScaledMatrix matrix) {
        var kernels = device.device.kernels().matrixScaled().orElseThrow();
        CpuTensor amax = device.tensor(DType.FP32, i -> 7, 1);
        kernels.maximum(device.queue, x, amax, false);
        kernels.quantize(device.queue, x, amax, rule, matrix);
    }

    @ParameterizedTest
    @EnumSource
    void equalsTheReference(Values values) {
        int[][] sizes = {{1, 1}, {5, 130}, {129, 127}, {300, 257}};
        KernelParity.check(0, (device, kernels) -> {
            var outputs = new ArrayList<CpuTensor>();
            var quantizer = kernels.matrixScaled().orElseThrow();
            int variant = 0;
            for (int[] size : sizes) {
                DType from = variant % 2 == 0 ? DType.BF16 : DType.FP32;
                DType to = variant % 3 == 0 ? DType.FP8_E5M2 : DType.FP8_E4M3;
                ScaleRule rule = variant++ % 2 == 0 ? ScaleRule.EXACT : ScaleRule.POWER_OF_TWO;
                CpuTensor x = device.tensor(from, values.of(variant, size[1]), size[0], size[1]);
                CpuTensor amax = device.tensor(DType.FP32, i -> 0.5, 1);
                quantizer.maximum(device.queue, x, amax, variant % 2 == 0);
                ScaledMatrix rows = QuantizerTest.matrix(device, to, ScaleBlock.MATRIX, size[0], size[1]);
                ScaledMatrix columns = QuantizerTest.matrix(device, to, ScaleBlock.MATRIX, size[1], size[0]);
                quantizer.quantize(device.queue, x, amax, rule, rows);
                quantizer.quantizeTransposed(device.queue, x, amax, rule, columns);
                for (ScaledMatrix each : List.of(rows, columns)) {
                    outputs.add((CpuTensor) each.codesMK());
                    outputs.add((CpuTensor) each.inverseScales());
                }
                outputs.add(amax);
            }
            return outputs;
        });
    }

    /** What is infinite or not a number would take every other value with it. */
    @Test
    void findsTheLargestFiniteMagnitude() {
        try (TestDevice device = new TestDevice(2, "vector")) {
            var kernels = device.device.kernels().matrixScaled().orElseThrow();
            CpuTensor amax = device.tensor(DType.FP32, i -> 9, 1);
            double[] values = {1, -3, Double.NaN, Double.NEGATIVE_INFINITY, 2};
            kernels.maximum(device.queue, device.tensor(DType.FP32, i -> values[(int) i % 5], 70_001), amax, true);
            assertEquals(9, amax.getDouble(0));
            kernels.maximum(device.queue, device.tensor(DType.BF16, i -> values[(int) i % 5], 70_001), amax, false);
            assertEquals(3, amax.getDouble(0));
            kernels.maximum(device.queue, device.tensor(DType.FP32, i -> Double.NaN, 50), amax, false);
            assertEquals(0, amax.getDouble(0));
        }
    }

    /** 448 by 3.5, and 57344 by 3.5; what is beyond the magnitude saturates. */
    @Test
    void goldens() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var kernels = device.device.kernels().matrixScaled().orElseThrow();
            CpuTensor amax = device.tensor(DType.FP32, i -> 3.5, 1);
            double[] values = {3.5, -7, 0.0078125, 0, 1};
            CpuTensor x = device.tensor(DType.FP32, i -> values[(int) i], 1, 5);
            ScaledMatrix narrow = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.MATRIX, 1, 5);
            kernels.quantize(device.queue, x, amax, ScaleRule.EXACT, narrow);
            assertEquals(1 / 128f, ((CpuTensor) narrow.inverseScales()).getDouble(0));
            assertEquals(List.of(448.0, -448.0, 1.0, 0.0, 128.0), list(narrow));
            ScaledMatrix wide = QuantizerTest.matrix(device, DType.FP8_E5M2, ScaleBlock.MATRIX, 1, 5);
            kernels.quantize(device.queue, x, amax, ScaleRule.EXACT, wide);
            assertEquals(1 / 16384f, ((CpuTensor) wide.inverseScales()).getDouble(0));
            assertEquals(List.of(57344.0, -57344.0, 128.0, 0.0, 16384.0), list(wide));
        }
    }

    private static List<Double> list(ScaledMatrix matrix) {
        var values = new ArrayList<Double>();
        for (double value : TestDevice.values((CpuTensor) matrix.codesMK())) {
            values.add(value);
        }
        return values;
    }

    @Test
    void rejectsScalesOfAnotherKind() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor x = device.tensor(DType.FP32, i -> 1, 8, 8);
            CpuTensor amax = device.tensor(DType.FP32, i -> 1, 1);
            ScaledMatrix one = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.MATRIX, 8, 8);
            ScaledMatrix rows = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 8, 8);
            var blocks = device.device.kernels().blockScaled().orElseThrow();
            var matrices = device.device.kernels().matrixScaled().orElseThrow();
            for (Runnable wrong : List.<Runnable>of(
                    () -> blocks.quantize(device.queue, x, ScaleRule.EXACT, one),
                    () -> blocks.quantizeTransposed(device.queue, x, ScaleRule.EXACT, one),
                    () -> matrices.quantize(device.queue, x, amax, ScaleRule.EXACT, rows),
                    () -> matrices.quantizeTransposed(device.queue, x, amax, ScaleRule.EXACT, rows),
                    () -> matrices.quantize(device.queue, x, x, ScaleRule.EXACT, one))) {
                String message =
                        assertThrows(IllegalArgumentException.class, wrong::run).getMessage();
                assertTrue(message.matches("(rowsMK|columnsKM|amax1) .*"), message);
            }
        }
    }
}
