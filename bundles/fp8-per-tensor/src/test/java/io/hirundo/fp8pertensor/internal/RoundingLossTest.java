package io.hirundo.fp8pertensor.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.precision.Fp8Codes;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said to be lost by rounding, against what is known of it. */
class RoundingLossTest {
    private final Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));

    @AfterEach
    void close() {
        bench.close();
    }

    private RoundingLoss of(DType type, Operand operand, double... values) {
        try (var math = new Fp8CurrentFactory()
                .create(new Fp8CurrentOptions())
                .bind(bench.device(), new LinearShape("up", 16, 16))) {
            return math.roundingLoss(
                            bench.queue(), operand, bench.tensor(type, i -> values[(int) i], 2, values.length / 2))
                    .orElseThrow();
        }
    }

    /** The scale is 1: 1.0625 lies between two codes, and 0.0009 below half of the smallest. */
    @Test
    void countsEveryKindOfElement() {
        double tiny = 0.0009;
        var expected = new RoundingLoss(
                5, 1, 1, 0.0625 * 0.0625 + tiny * tiny, 448.0 * 448 + 1.0625 * 1.0625 + tiny * tiny + 4 + 9);
        var found = of(DType.FP32, Operand.INPUT, 0, 1.0625, -448, tiny, 2, -3);
        assertEquals(expected.nonZero(), found.nonZero());
        assertEquals(expected.vanished(), found.vanished());
        assertEquals(expected.largest(), found.largest());
        assertEquals(expected.errorSquares(), found.errorSquares(), 1e-9);
        assertEquals(expected.squares(), found.squares(), 1e-6);
        assertEquals(0.2, found.vanishedShare());
        assertEquals(0.2, found.largestShare());
    }

    @Test
    void ofBf16AndOfE5M2() {
        var found = of(DType.BF16, Operand.OUTPUT_GRADIENT, 57344, 1.125, 1e-6, 0);
        assertEquals(new RoundingLoss(3, 1, 1, found.errorSquares(), found.squares()), found);
        assertEquals(0.125 * 0.125, found.errorSquares(), 1e-9);
    }

    @Test
    void countsNonFiniteElements() {
        var found = of(DType.FP32, Operand.INPUT, 448, Double.NaN, Double.POSITIVE_INFINITY, 1);
        assertEquals(new RoundingLoss(3, 0, 2, 0, 448.0 * 448 + 1), found);
    }

    @Test
    void quantizesAllValues() {
        for (DType type : new DType[] {DType.FP8_E4M3, DType.FP8_E5M2}) {
            float[] values = Fp8Codes.values(type);
            float largest = 0;
            for (int code = 0; code < 128; code++) {
                assertEquals(-values[code], values[code + 128]);
                assertTrue(code == 0 || !(values[code] <= values[code - 1]), "codes rise");
                largest = Float.isFinite(values[code]) ? values[code] : largest;
            }
            assertEquals(largest, Fp8Codes.largest(type));
            assertEquals(values[1], Fp8Codes.smallest(type));
        }
        assertEquals(0x1p-9f, Fp8Codes.smallest(DType.FP8_E4M3));
        assertEquals(0x1p-16f, Fp8Codes.smallest(DType.FP8_E5M2));
        assertEquals(1, Fp8Codes.values(DType.FP8_E4M3)[0x38]);
        assertEquals(1, Fp8Codes.values(DType.FP8_E5M2)[0x3c]);
    }
}
