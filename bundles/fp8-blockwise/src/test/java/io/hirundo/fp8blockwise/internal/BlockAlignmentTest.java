package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.lib.precision.QuantizedMatrix;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.ModelSpec;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranks quantize their shards to a single rank's values, or the shards are rejected. */
class BlockAlignmentTest {
    private static final Initialization ANY = Initialization.normal(0.02);
    private static final int ROWS = 384;
    private static final int COLUMNS = 256;

    /** The codes and scales of a window, each next to its element: of the whole matrix, and of the window alone. */
    @ParameterizedTest
    @EnumSource
    void shardsOfFullBlocksMatchASingleRankBitwise(Operand operand) {
        // Larger and larger, so that a block that begins elsewhere has another scale.
        double[] values = new Random(5).doubles(ROWS * COLUMNS, -1, 1).toArray();
        Arrays.setAll(values, i -> Math.scalb(values[i], i / COLUMNS / 32 + i % COLUMNS / 32));
        for (boolean transposed : new boolean[] {false, true}) {
            double[][] whole = quantized(operand, transposed, values, 0, ROWS, 0, COLUMNS);
            for (int row = 0; row < ROWS; row += 128) {
                // Ranks share outputs or tokens, then inputs.
                assertArrayEquals(
                        window(whole, row, 128, 0, COLUMNS),
                        quantized(operand, transposed, values, row, 128, 0, COLUMNS),
                        "row " + row);
            }
            for (int column = 0; column < COLUMNS; column += 128) {
                assertArrayEquals(
                        window(whole, 0, ROWS, column, 128),
                        quantized(operand, transposed, values, 0, ROWS, column, 128),
                        "column " + column);
            }
        }
        // So that it is known to be able to fail: half a block.
        double[][] half = quantized(Operand.WEIGHT, false, values, 64, 128, 0, COLUMNS);
        double[][] of = window(quantized(Operand.WEIGHT, false, values, 0, ROWS, 0, COLUMNS), 64, 128, 0, COLUMNS);
        assertTrue(!Arrays.deepEquals(half, of));
    }

    private static double[][] window(double[][] whole, int row, int rows, int column, int columns) {
        double[][] window = new double[2 * rows][columns];
        for (int r = 0; r < rows; r++) {
            System.arraycopy(whole[row + r], column, window[r], 0, columns);
            System.arraycopy(whole[whole.length / 2 + row + r], column, window[rows + r], 0, columns);
        }
        return window;
    }

    /** First the rows of codes, then as many of the scales of their elements. */
    private static double[][] quantized(
            Operand operand, boolean transposed, double[] values, int row, int rows, int column, int columns) {
        try (Bench bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)))) {
            var device = bench.device();
            var quantizer = new BlockQuantizer(
                    device.kernels().blockScaled().orElseThrow(),
                    Optional.empty(),
                    ScaleRule.POWER_OF_TWO,
                    DType.FP8_E4M3);
            Tensor x = bench.tensor(
                    DType.FP32,
                    i -> values[(int) ((row + i / columns) * COLUMNS + column + i % columns)],
                    rows,
                    columns);
            int height = transposed ? columns : rows;
            int width = transposed ? rows : columns;
            try (var matrix = QuantizedMatrix.allocate(
                    device, MemoryCategory.WORKSPACE, DType.FP8_E4M3, quantizer.block(operand), height, width)) {
                if (transposed) {
                    quantizer.quantizeTransposed(bench.queue(), operand, x, matrix.scaled());
                } else {
                    quantizer.quantize(bench.queue(), operand, x, matrix.scaled());
                }
                double[] codes = bench.read(matrix.scaled().codesMK());
                double[] scales = bench.read(matrix.scaled().inverseScales());
                double[][] all = new double[2 * rows][columns];
                for (int r = 0; r < rows; r++) {
                    for (int c = 0; c < columns; c++) {
                        int i = transposed ? c : r;
                        int j = transposed ? r : c;
                        all[r][c] = codes[i * width + j];
                        all[rows + r][c] = scales[(int) quantizer.block(operand).scaleIndex(height, width, i, j)];
                    }
                }
                return all;
            }
        }
    }

    /** Heads of 64; 8 query and 2 key/value heads. */
    private static PrecisionStrategy strategy(String blocks) {
        var attention = new LayerSpec.Attention("attention", new Heads(8, 2, 64), List.of(), 8);
        var parts = List.of(
                new LinearPart("q", attention.query()),
                new LinearPart("k", attention.keyValue()),
                new LinearPart("v", attention.keyValue()));
        List<Dim> inner = List.of(Dims.inner(1024));
        var model = new ModelSpec(
                64,
                512,
                8,
                List.of(new BlockSpec(
                        0,
                        "layers.0",
                        List.of(
                                LayerSpec.Linear.fromResidual("qkv", parts, 512, ANY),
                                LayerSpec.Linear.fromResidual(
                                        "up", List.of(new LinearPart("up.weight", inner)), 512, ANY),
                                LayerSpec.Linear.toResidual("down", "down.weight", inner, 512, ANY)))));
        return new Fp8BlockwiseFactory()
                .create(new Fp8BlockwiseOptions().withBlocks(blocks))
                .forModel(model);
    }

    private static String rejection(String blocks, String weight, long outputs, long inputs) {
        return strategy(blocks)
                .supports(null, new LinearShape(weight, outputs, inputs))
                .reason();
    }

    @Test
    void rejectsShardsThatSplitBlocks() {
        String aligned = Fp8BlockwiseOptions.ALIGNED;
        assertEquals("", rejection(aligned, "qkv.weight", 768, 512));
        String ofKeys = rejection(aligned, "qkv.weight", 384, 512);
        assertTrue(ofKeys.startsWith("a rank has 64 of the 128 outputs of k, not a multiple of 128"), ofKeys);
        assertTrue(ofKeys.endsWith("set precision.options.blocks=shard-local"), ofKeys);
        String shared = rejection(aligned, "qkv.weight", 256, 512);
        assertTrue(
                shared.startsWith("a rank has 64 of the 128 outputs of k"),
                "four ranks, two of which share a head: " + shared);
        assertEquals("", rejection(aligned, "up.weight", 512, 512));
        assertEquals("", rejection(aligned, "up.weight", 128, 512));
        assertTrue(rejection(aligned, "up.weight", 64, 512).startsWith("a rank has 64 of its 1024 outputs"));
        assertEquals("", rejection(aligned, "down.weight", 512, 256));
        assertTrue(rejection(aligned, "down.weight", 512, 64).startsWith("a rank has 64 of its 1024 inputs"));
        // Shares that are too small for 8 bits are no reason to compute otherwise than a single rank would.
        assertTrue(rejection(aligned, "up.weight", 8, 512).startsWith("a rank has 8 of its 1024 outputs"));
        assertTrue(rejection(aligned, "down.weight", 512, 8).startsWith("a rank has 8 of its 1024 inputs"));
        assertTrue(strategy(aligned).supportsPieces(256).supported());
        String pieces = strategy(aligned).supportsPieces(64).reason();
        assertTrue(pieces.startsWith("context-parallel chunks of 64 tokens are not a multiple of 128"), pieces);
    }

    @Test
    void acceptsAnyShardWithShardLocalBlocks() {
        assertEquals("", rejection(Fp8BlockwiseOptions.SHARD_LOCAL, "qkv.weight", 384, 512));
        assertEquals("", rejection(Fp8BlockwiseOptions.SHARD_LOCAL, "down.weight", 512, 64));
        assertTrue(strategy(Fp8BlockwiseOptions.SHARD_LOCAL).supportsPieces(64).supported());
    }
}
