package io.hirundo.devicecpu.internal.gemm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackend;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.gemm.library.PlainLibrary;
import io.hirundo.devicecpu.internal.quantize.QuantizerTest;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.device.ScaledGemmComparison;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** GEMMs of FP8 matrices. */
class ScaledGemmTest {
    @ParameterizedTest
    @CsvSource({"vector, ROW", "vector, SQUARE", "reference, ROW", "reference, SQUARE"})
    void integersAreExact(String kernels, ScaleBlock block) {
        try (Bench bench = Bench.open(backend(2, kernels))) {
            ScaledGemmComparison.requireExactIntegers(bench, block);
        }
    }

    /** Also by a library: the loops of {@link PlainLibrary} add products in the order of k, as the reference does. */
    @ParameterizedTest
    @EnumSource
    void hasTheBitsOfTheReferenceForAnyNumberOfWorkers(ScaleRule rule) {
        var library = new PlainLibrary(DType.BF16);
        List<double[]> expected = run(backend(1, CpuOptions.REFERENCE), rule);
        for (int workers = 1; workers <= 3; workers++) {
            assertSame(expected, run(backend(workers, CpuOptions.VECTOR), rule));
        }
        assertSame(
                expected, run(new CpuBackend(new CpuOptions(2, CpuOptions.VECTOR, "plain"), List.of(library)), rule));
        assertTrue(library.runs.get() > 0, "GEMMs by the library");
    }

    @ParameterizedTest
    @EnumSource
    void hasTheBitsOfTheTestkit(ScaleRule rule) {
        assertSame(run(new ScalarBackend(), rule), run(backend(1, CpuOptions.REFERENCE), rule));
    }

    private static List<double[]> run(ComputeBackend backend, ScaleRule rule) {
        try (Bench bench = Bench.open(backend)) {
            return ScaledGemmComparison.run(bench, rule);
        }
    }

    private static void assertSame(List<double[]> expected, List<double[]> found) {
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), found.get(i), "result " + i);
        }
    }

    private static CpuBackend backend(int workers, String kernels) {
        return new CpuBackend(new CpuOptions(workers, kernels), List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "plain"})
    void nansPropagate(String gemm) {
        try (TestDevice device = new TestDevice(
                new CpuBackend(new CpuOptions(1, CpuOptions.VECTOR, gemm), List.of(new PlainLibrary(DType.BF16))))) {
            CpuTensor x = device.tensor(DType.FP32, i -> i == 3 ? Double.NaN : 1, 2, 40);
            ScaledMatrix a = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 2, 40);
            var kernels = device.device.kernels().blockScaled().orElseThrow();
            kernels.quantize(device.queue, x, ScaleRule.POWER_OF_TWO, a);
            ScaledMatrix b = quantized(device, ScaleRule.EXACT, DType.FP8_E5M2, ScaleBlock.SQUARE, 1, 33, 40);
            CpuTensor c = device.tensor(DType.FP32, i -> 0, 2, 33);
            kernels.multiplyNT(device.queue, a, b, c, false);
            for (int i = 0; i < 66; i++) {
                assertEquals(i < 33, Double.isNaN(c.getDouble(i)), "element " + i);
            }
        }
    }

    @Test
    void rejectsMismatchedOperands() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            var kernels = device.device.kernels().blockScaled().orElseThrow();
            CpuTensor x = device.tensor(DType.FP32, i -> 0, 8, 16);
            ScaledMatrix good = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 8, 16);
            ScaledMatrix square = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.SQUARE, 8, 16);
            var mixed = new ScaledMatrix(good.codesMK(), square.inverseScales(), ScaleBlock.ROW);
            var wide = new ScaledMatrix(x, good.inverseScales(), ScaleBlock.ROW);
            CpuTensor c = device.tensor(DType.FP32, i -> 0, 8, 8);
            for (Runnable wrong : List.<Runnable>of(
                    () -> kernels.quantize(device.queue, x, ScaleRule.EXACT, mixed),
                    () -> kernels.quantize(device.queue, x, ScaleRule.EXACT, wide),
                    () -> kernels.quantizeTransposed(device.queue, x, ScaleRule.EXACT, good),
                    () -> kernels.quantizeBoth(device.queue, x, ScaleRule.EXACT, good, good),
                    () -> kernels.multiplyNT(device.queue, square, good, c, false),
                    () -> kernels.multiplyNT(device.queue, good, mixed, c, false),
                    () -> kernels.multiplyNT(device.queue, good, good, x, false))) {
                String message =
                        assertThrows(IllegalArgumentException.class, wrong::run).getMessage();
                assertTrue(message.matches("(?s).*(rowsMK|columnsKM|aMK|bNK|cMN).*"), message);
            }
        }
    }

    private static ScaledMatrix quantized(
            TestDevice device, ScaleRule rule, DType dtype, ScaleBlock block, long seed, int rows, int columns) {
        ScaledMatrix matrix = QuantizerTest.matrix(device, dtype, block, rows, columns);
        CpuTensor x = device.random(DType.FP32, seed, rows, columns);
        device.device.kernels().blockScaled().orElseThrow().quantize(device.queue, x, rule, matrix);
        return matrix;
    }
}
