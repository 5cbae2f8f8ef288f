package io.hirundo.devicecpu.internal.quantize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Normals;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks, their scales and their codes. */
public class QuantizerTest {
    private static final List<ScaleBlock> BLOCKS = List.of(ScaleBlock.ROW, ScaleBlock.SQUARE);

    /** The last ones are larger than a tile. */
    private static final int[][] SIZES = {
        {1, 1},
        {5, 130},
        {128, 128},
        {129, 127},
        {200, 257},
        {3, 512},
        {300, 9},
        {129, 600},
        {17, 4200},
        {17, 4200},
        {129, 600}
    };

    /** Largest magnitudes and the scales that belong to them, of NVIDIA's Transformer Engine. */
    @ParameterizedTest
    @ValueSource(strings = {"1 256", "3 128", "448 1", "449 0.5", "0.013 32768", "0 1", "Infinity 1", "NaN 1"})
    void goldenScales(String golden) {
        String[] numbers = golden.split(" ");
        float amax = Float.parseFloat(numbers[0]);
        assertEquals(
                1 / Double.parseDouble(numbers[1]), inverseScale(DType.FP32, amax, ScaleRule.POWER_OF_TWO), golden);
    }

    @Test
    void exactScales() {
        assertEquals(1 / (448f / 3f), inverseScale(DType.FP32, 3, ScaleRule.EXACT));
        assertEquals(1 / (448f / 0.013f), inverseScale(DType.FP32, 0.013f, ScaleRule.EXACT));
    }

    /** The largest magnitude is so small that 448 by it is infinite. */
    @Test
    void scalesThatOverflow() {
        List<Float> maxima = IntStream.range(1, 0x7f80)
                .mapToObj(bits -> Bf16.toFloat((short) bits))
                .filter(amax -> Float.isInfinite(448 / amax))
                .toList();
        assertEquals(992, maxima.size());
        double[] powers = inverseScales(DType.BF16, maxima, ScaleRule.POWER_OF_TWO);
        double[] exact = inverseScales(DType.BF16, maxima, ScaleRule.EXACT);
        double[] ofFp32 = inverseScales(DType.FP32, maxima, ScaleRule.EXACT);
        for (int i = 0; i < maxima.size(); i++) {
            assertEquals(0x1p-127, powers[i]);
            assertEquals(1 / Float.intBitsToFloat(0x7f7f0000), exact[i]);
            assertEquals(1 / Float.MAX_VALUE, ofFp32[i]);
        }
    }

    private static double inverseScale(DType dtype, float amax, ScaleRule rule) {
        return inverseScales(dtype, List.of(amax), rule)[0];
    }

    /** Of a matrix with a row for each largest magnitude. */
    private static double[] inverseScales(DType dtype, List<Float> maxima, ScaleRule rule) {
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor x = device.tensor(
                    dtype,
                    i -> i % 3 == 1 ? -maxima.get((int) i / 3) : maxima.get((int) i / 3) / 1e9,
                    maxima.size(),
                    3);
            ScaledMatrix result = matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, maxima.size(), 3);
            device.device.kernels().blockScaled().orElseThrow().quantize(device.queue, x, rule, result);
            return values(result.inverseScales());
        }
    }

    /** Small integers times a power of two that is another in every square of 128 lose nothing on the way there and back. */
    @ParameterizedTest
    @EnumSource(names = {"ROW", "SQUARE"})
    void roundTrips(ScaleBlock block) {
        for (DType dtype : List.of(DType.FP32, DType.BF16)) {
            KernelParity.check(0, (device, kernels) -> {
                CpuTensor x = device.tensor(
                        dtype,
                        i -> Math.scalb(i % 31 - 15, (int) (i / 257 / 128 * 3 + i % 257 / 128 * 5) - 20),
                        200,
                        257);
                CpuTensor back = device.tensor(dtype, i -> Double.NaN, 200, 257);
                ScaledMatrix codes = matrix(device, DType.FP8_E4M3, block, 200, 257);
                var quantizer = kernels.blockScaled().orElseThrow();
                quantizer.quantize(device.queue, x, ScaleRule.POWER_OF_TWO, codes);
                quantizer.dequantize(device.queue, codes, back);
                KernelParity.requireSame("values", values(x), values(back));
                return List.of(back);
            });
        }
    }

    /** What cannot be represented, and what blocks it. */
    enum Values {
        NORMAL,
        /** Of 1e4 in one channel. */
        OUTLIERS,
        DENORMAL,
        EQUAL,
        ONE_NAN,
        ONE_INFINITY,
        ZERO;

        LongToDoubleFunction of(long seed, int columns) {
            LongToDoubleFunction normal = Normals.of(seed);
            return switch (this) {
                case NORMAL -> normal;
                case OUTLIERS ->
                    i -> i % columns == columns / 2 ? 1e4 * normal.applyAsDouble(i) : 0.01 * normal.applyAsDouble(i);
                case DENORMAL -> i -> normal.applyAsDouble(i) * 0x1p-130;
                case EQUAL -> i -> -0.3;
                case ONE_NAN -> i -> i == 0 ? Double.NaN : normal.applyAsDouble(i);
                case ONE_INFINITY -> i -> i == columns / 2 ? Double.NEGATIVE_INFINITY : normal.applyAsDouble(i);
                case ZERO -> i -> 0;
            };
        }
    }

    /** Same bits as the reference, with any number of workers. */
    @ParameterizedTest
    @EnumSource
    void equalsTheReference(Values values) {
        KernelParity.check(0, (device, kernels) -> {
            var outputs = new ArrayList<CpuTensor>();
            var quantizer = kernels.blockScaled().orElseThrow();
            int variant = 0;
            for (int[] size : SIZES) {
                for (ScaleBlock block : BLOCKS) {
                    DType from = variant % 4 < 2 ? DType.BF16 : DType.FP32;
                    DType to = variant % 3 == 0 ? DType.FP8_E5M2 : DType.FP8_E4M3;
                    ScaleRule rule = variant % 5 < 3 ? ScaleRule.POWER_OF_TWO : ScaleRule.EXACT;
                    CpuTensor x = device.tensor(from, values.of(variant++, size[1]), size[0], size[1]);
                    ScaledMatrix rows = matrix(device, to, block, size[0], size[1]);
                    ScaledMatrix columns = matrix(device, to, block, size[1], size[0]);
                    quantizer.quantize(device.queue, x, rule, rows);
                    quantizer.quantizeTransposed(device.queue, x, rule, columns);
                    ScaledMatrix twinRows = matrix(device, to, block, size[0], size[1]);
                    ScaledMatrix twinColumns =
                            matrix(device, variant % 7 == 0 ? DType.FP8_E4M3 : to, block, size[1], size[0]);
                    quantizer.quantizeBoth(device.queue, x, rule, twinRows, twinColumns);
                    for (ScaledMatrix each : List.of(rows, columns, twinRows, twinColumns)) {
                        outputs.add((CpuTensor) each.codesMK());
                        outputs.add((CpuTensor) each.inverseScales());
                    }
                }
            }
            return outputs;
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"ROW", "SQUARE"})
    void transposedResultEqualsThatOfTheTranspose(ScaleBlock block) {
        try (TestDevice device = new TestDevice(2, "vector")) {
            CpuTensor x = device.random(DType.FP32, 3, 200, 301);
            CpuTensor transposed = device.tensor(DType.FP32, i -> x.getDouble(i % 200 * 301 + i / 200), 301, 200);
            ScaledMatrix columns = matrix(device, DType.FP8_E4M3, block, 301, 200);
            ScaledMatrix expected = matrix(device, DType.FP8_E4M3, block, 301, 200);
            var quantizer = device.device.kernels().blockScaled().orElseThrow();
            quantizer.quantizeTransposed(device.queue, x, ScaleRule.EXACT, columns);
            quantizer.quantize(device.queue, transposed, ScaleRule.EXACT, expected);
            assertArrayEquals(values(expected.codesMK()), values(columns.codesMK()));
            assertArrayEquals(values(expected.inverseScales()), values(columns.inverseScales()));
        }
    }

    /** However large other blocks are, an element is off by a sixteenth of itself, or by what its own block's scale resolves. */
    @ParameterizedTest
    @EnumSource(names = {"NORMAL", "OUTLIERS", "DENORMAL", "EQUAL", "ZERO"})
    void errorsStayInTheirBlock(Values kind) {
        for (ScaleRule rule : ScaleRule.values()) {
            try (TestDevice device = new TestDevice(1, "vector")) {
                int rows = 130;
                int columns = 400;
                CpuTensor x = device.tensor(DType.FP32, kind.of(11, columns), rows, columns);
                ScaledMatrix result = matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, rows, columns);
                device.device.kernels().blockScaled().orElseThrow().quantize(device.queue, x, rule, result);
                double[] original = values(x);
                double[] restored = restored(result, rows, columns);
                double blockMaximum = 0;
                for (int i = 0; i < restored.length; i++) {
                    if (i % columns % ScaleBlock.EXTENT == 0) {
                        blockMaximum = blockMaximum(original, i, columns);
                    }
                    double value = original[i];
                    double allowed =
                            Math.max(Math.abs(value) * 0x1p-4, blockMaximum * 0x1p-10 / 224) + Double.MIN_NORMAL;
                    // A scale cannot make denormals of FP32 larger than 2^127 does.
                    allowed = Math.max(allowed, 0x1p-10 * 0x1p-127) * (1 + 1e-6);
                    if (!(Math.abs(restored[i] - value) <= allowed)) {
                        fail(i + ": " + value + " became " + restored[i]);
                    }
                }
            }
        }
    }

    /** What one scale for all does to the other channels when one has outliers. */
    @Test
    void oneScalePerTensorUnderflowsSmallChannels() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            int rows = 64;
            int columns = 512;
            int outlier = columns / 2;
            CpuTensor x = device.tensor(DType.FP32, Values.OUTLIERS.of(5, columns), rows, columns);
            ScaledMatrix result = matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, rows, columns);
            device.device.kernels().blockScaled().orElseThrow().quantize(device.queue, x, ScaleRule.EXACT, result);
            double[] blockwise = restored(result, rows, columns);
            float amax = 0;
            for (long i = 0; i < x.elements(); i++) {
                amax = Math.max(amax, (float) Math.abs(x.getDouble(i)));
            }
            float scale = 448 / amax;
            double wrongBlockwise = 0;
            double wrongPerTensor = 0;
            double all = 0;
            for (int i = 0; i < blockwise.length; i++) {
                if (i % columns / ScaleBlock.EXTENT != outlier / ScaleBlock.EXTENT) {
                    double value = x.getDouble(i);
                    double perTensor = Fp8.E4M3.toFloat(Fp8.E4M3.fromFloat((float) value * scale)) / scale;
                    wrongBlockwise += Math.pow(blockwise[i] - value, 2);
                    wrongPerTensor += Math.pow(perTensor - value, 2);
                    all += value * value;
                }
            }
            assertTrue(Math.sqrt(wrongBlockwise / all) < 0.04, "blockwise " + Math.sqrt(wrongBlockwise / all));
            assertTrue(Math.sqrt(wrongPerTensor / all) > 0.9, "per tensor " + Math.sqrt(wrongPerTensor / all));
        }
    }

    /** Of the block that begins at an element. */
    private static double blockMaximum(double[] x, int first, int columns) {
        double largest = 0;
        for (int i = first; i < first + Math.min(ScaleBlock.EXTENT, columns - first % columns); i++) {
            largest = Math.max(largest, Math.abs(x[i]));
        }
        return largest;
    }

    private static double[] restored(ScaledMatrix matrix, int rows, int columns) {
        double[] values = values(matrix.codesMK());
        double[] scales = values(matrix.inverseScales());
        for (int i = 0; i < values.length; i++) {
            values[i] *= scales[(int) matrix.block().scaleIndex(rows, columns, i / columns, i % columns)];
        }
        return values;
    }

    private static double[] values(Tensor tensor) {
        return TestDevice.values((CpuTensor) tensor);
    }

    public static ScaledMatrix matrix(TestDevice device, DType dtype, ScaleBlock block, long rows, long columns) {
        long[] scales = block.scales(rows, columns).dims().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return new ScaledMatrix(
                device.tensor(dtype, i -> 2, rows, columns), device.tensor(DType.FP32, i -> -1, scales), block);
    }
}
