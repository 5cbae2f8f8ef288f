package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operands that ranks pack each for itself, and products of all of them, are those of one rank that has all rows. */
class PackedProductsTest {
    private static final int INPUTS = 144;
    private static final int OUTPUTS = 272;

    private static LinearMath math(Bench bench, String scales) {
        var options = new Fp8BlockwiseOptions(
                scales, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.ALIGNED, 0, 0, true, false);
        return new Fp8BlockwiseFactory()
                .create(options)
                .bind(bench.device(), new LinearShape("mlp.down", OUTPUTS, INPUTS));
    }

    /** Magnitudes over the range of the scales, with zeros and NaNs. */
    private static Tensor values(Bench bench, int seed, int rows, int columns) {
        var random = new SplittableRandom(seed);
        return bench.tensor(
                DType.BF16,
                i -> {
                    if (i == 1000 + seed) {
                        return Double.NaN;
                    }
                    int block = (int) (i / columns / 32 + i % columns / 64);
                    return block % 7 == 0
                            ? 0
                            : Math.scalb(random.nextDouble(-1, 1), new int[] {0, 12, -20, 120, -131}[block % 5]);
                },
                rows,
                columns);
    }

    private static PackedOperand pack(
            Bench bench, PackedProducts products, Operand operand, Contraction over, Tensor all, int pieces) {
        long rows = all.shape().dim(0) / pieces;
        PackedOperand packed = products.allocate(operand, over, rows, pieces);
        for (int piece = 0; piece < pieces; piece++) {
            products.pack(bench.queue(), operand, over, all.rows(piece * rows, rows), packed.piece(piece));
        }
        return packed;
    }

    @ParameterizedTest
    @CsvSource({
        "power-of-two, 1, 128",
        "power-of-two, 2, 128",
        "exact, 2, 256",
        "power-of-two, 4, 33",
        "exact, 3, 7",
        "power-of-two, 2, 1"
    })
    void matchesUnpackedGemmsBitwise(String scales, int pieces, int rows) {
        int tokens = pieces * rows;
        try (Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));
                LinearMath math = math(bench, scales);
                PreparedWeight weight = math.prepare(
                        bench.queue(), bench.tensor(DType.FP32, i -> i % 37 - 18, OUTPUTS, INPUTS), null)) {
            PackedProducts products = math.packed().orElseThrow();
            Tensor x = values(bench, 1, tokens, INPUTS);
            Tensor dy = values(bench, 2, tokens, OUTPUTS);

            Tensor[] y = {empty(bench, tokens, OUTPUTS), empty(bench, tokens, OUTPUTS)};
            math.forward(bench.queue(), x, weight, y[0]);
            try (var packed = pack(bench, products, Operand.INPUT, Contraction.FEATURES, x, pieces)) {
                products.forward(bench.queue(), packed, weight, y[1]);
            }
            assertSame(bench, y);

            Tensor[] dx = {empty(bench, tokens, INPUTS), empty(bench, tokens, INPUTS)};
            math.inputGradient(bench.queue(), dy, weight, dx[0]);
            try (var packed = pack(bench, products, Operand.OUTPUT_GRADIENT, Contraction.FEATURES, dy, pieces)) {
                products.inputGradient(bench.queue(), packed, weight, dx[1]);
            }
            assertSame(bench, dx);

            if (products.packs(Operand.INPUT, Contraction.TOKENS, rows)) {
                Tensor[] dw = new Tensor[3];
                for (int i = 0; i < dw.length; i++) {
                    dw[i] = bench.tensor(DType.FP32, at -> at % 5, OUTPUTS, INPUTS);
                }
                math.weightGradient(bench.queue(), dy, x, dw[0]);
                try (var packed = pack(bench, products, Operand.INPUT, Contraction.TOKENS, x, pieces)) {
                    products.weightGradient(bench.queue(), dy, packed, dw[1]);
                }
                try (var packed = pack(bench, products, Operand.OUTPUT_GRADIENT, Contraction.TOKENS, dy, pieces)) {
                    products.weightGradient(bench.queue(), packed, x, dw[2]);
                }
                assertSame(bench, dw);
            }
        }
    }

    private static Tensor empty(Bench bench, int rows, int columns) {
        return bench.tensor(DType.BF16, i -> Double.NaN, rows, columns);
    }

    private static void assertSame(Bench bench, Tensor... results) {
        double[] expected = bench.read(results[0]);
        for (Tensor result : results) {
            assertArrayEquals(expected, bench.read(result));
        }
    }

    /** Blocks of tokens must not be cut. */
    @Test
    void packsSupportedRowsOnly() {
        try (Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));
                LinearMath math = math(bench, Fp8BlockwiseOptions.POWER_OF_TWO)) {
            PackedProducts products = math.packed().orElseThrow();
            for (Operand operand : List.of(Operand.INPUT, Operand.OUTPUT_GRADIENT)) {
                assertTrue(products.packs(operand, Contraction.FEATURES, 33));
                assertTrue(products.packs(operand, Contraction.TOKENS, 256));
                assertFalse(products.packs(operand, Contraction.TOKENS, 192));
            }
        }
    }

    /** Powers of two go in two bytes, other scales in four. */
    @Test
    void bytes() {
        try (Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)))) {
            var found = new ArrayList<Double>();
            for (String scales : List.of(Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.EXACT)) {
                try (LinearMath math = new Fp8BlockwiseFactory()
                        .create(new Fp8BlockwiseOptions(
                                scales, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.ALIGNED, 0, 0, true, false))
                        .bind(bench.device(), new LinearShape("mlp.down", 256, 512))) {
                    for (Contraction over : Contraction.values()) {
                        try (var packed = math.packed().orElseThrow().allocate(Operand.INPUT, over, 256, 2)) {
                            found.add(packed.tensors().stream()
                                            .mapToLong(Tensor::byteSize)
                                            .sum()
                                    / (2.0 * 2 * 256 * 512));
                        }
                    }
                }
            }
            double two = 130 / 256.0;
            double four = 132 / 256.0;
            assertEquals(List.of(two, two, four, four), found);
            assertEquals(Map.of(), bench.heldByOthers());
        }
    }
}
