package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.MemoryCategory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.parity.Layouts;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.StructuredTokens;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory of eight ranks that train, by the formulas of docs/parallelism.md. */
class ModeMemoryTest {
    private static final int RANKS = 8;

    /** Blocks are alike, so more than two prove no more. */
    private static final int LAYERS = 2;

    /** Elements are padded to a common multiple of this and of the ranks, here to a multiple of this. */
    private static final long UNIT = 128;

    /** Devices round up to this many bytes. */
    private static final long ALIGNMENT_BYTES = 64;

    /** At most one such rounding for each slice of a block. */
    private static final long ROUNDING_BYTES = 6 * ALIGNMENT_BYTES;

    /** Rows and columns of an FP8 weight that share a scale. */
    private static final long SQUARE = 128;

    private static final PrecisionStrategy FP8 = new Fp8BlockwiseFactory()
            .create(new Fp8BlockwiseOptions(
                    Fp8BlockwiseOptions.POWER_OF_TWO,
                    Fp8BlockwiseOptions.E4M3,
                    Fp8BlockwiseOptions.SHARD_LOCAL,
                    0,
                    0,
                    true,
                    false));

    /** Bytes per element: weights and gradients of each rank, and of the ranks of a shard group together. */
    @ParameterizedTest
    @CsvSource({
        "fp32, zero1, 4, 0, 4, 0",
        "fp32, zero2, 4, 0, 0, 4",
        "fp32, fsdp, 0, 4, 0, 4",
        "bf16, zero1, 2, 4, 4, 0",
        "bf16, zero1 bf16, 2, 4, 2, 4",
        "bf16, fsdp bf16, 0, 4, 0, 4",
        "bf16, zero2, 2, 4, 0, 4",
        "bf16, fsdp, 0, 4, 0, 4",
        "bf16, zero2 in shards of 2, 2, 4, 0, 4",
        "fp32, fsdp in shards of 4, 0, 4, 0, 4",
        "no masters, zero1, 2, 0, 4, 0",
        "no masters, zero1 bf16, 2, 0, 2, 4",
        "no masters, zero2, 2, 0, 0, 4",
        "no masters, fsdp, 0, 2, 0, 4",
        "no masters, fsdp in shards of 4, 0, 2, 0, 4"
    })
    void isThatOfTheFormula(
            String precision, String mode, int weights, int sharedWeights, int gradients, int sharedGradients) {
        int shards = shards(mode);
        PrecisionStrategy strategy = precision.equals("fp32")
                ? Layouts.FP32
                : new Bf16Factory().create(new Bf16Options(precision.equals("bf16") ? "fp32" : "none"));
        try (LocalRun run = open(mode, strategy)) {
            run.step();
            run.step();
            long[] elements = new long[1];
            long[] moments = new long[RANKS];
            run.onEachRank(rank -> {
                elements[0] = elements(mode, rank.model().parameterSpecs());
                moments[rank.model().rank().world().rank()] = 2L
                        * Float.BYTES
                        * rank.model().sharded().owned().stream()
                                .mapToLong(owned -> owned.value().elements())
                                .sum();
                return null;
            });
            for (int rank = 0; rank < RANKS; rank++) {
                var peak = run.ranks().ledger(rank).peakBytes();
                long expected = elements[0] * weights + elements[0] * sharedWeights / shards;
                assertEquals(
                        expected,
                        peak.get(MemoryCategory.WEIGHTS),
                        sharedWeights == 2 ? ROUNDING_BYTES : 0,
                        "rank " + rank);
                assertEquals(
                        elements[0] * gradients + elements[0] * sharedGradients / shards,
                        peak.get(MemoryCategory.GRADIENTS),
                        "rank " + rank);
                assertEquals(moments[rank], peak.get(MemoryCategory.OPTIMIZER), "rank " + rank);
            }
        }
    }

    /**
     * Bytes per element: weights of FP8 layers that each rank holds besides the master weights (two quantized copies, and FP32 where weights are not
     * gathered quantized), of other layers (BF16), and gradients of each rank and of the ranks of a shard group together.
     */
    @ParameterizedTest
    @CsvSource({"zero1, 2, 2, 4, 0", "zero2 without codes, 6, 2, 0, 4", "fsdp, 0, 0, 0, 4"})
    void isThatOfTheFormulaInFp8(String mode, int inFp8, int inBf16, int gradients, int sharedGradients) {
        int shards = shards(mode);
        try (LocalRun run = open(mode, FP8)) {
            run.step();
            run.step();
            run.onEachRank(rank -> {
                List<List<ParameterSpec>> blocks = rank.model().parameterSpecs();
                long elements = elements(mode, blocks);
                var peak =
                        run.ranks().ledger(rank.model().rank().world().rank()).peakBytes();
                assertEquals(
                        4 * elements / shards + layersBytes(mode, blocks, inFp8, inBf16),
                        peak.get(MemoryCategory.WEIGHTS),
                        mode);
                assertEquals(
                        elements * gradients + elements * sharedGradients / shards,
                        peak.get(MemoryCategory.GRADIENTS),
                        mode);
                return null;
            });
        }
    }

    /** As {@link #isThatOfTheFormulaInFp8}. */
    @Tag("matrix")
    @ParameterizedTest
    @CsvSource({
        "zero1 without codes, 6, 2, 4, 0",
        "zero2, 2, 2, 0, 4",
        "zero2 in shards of 2, 2, 2, 0, 4",
        "fsdp without codes, 0, 0, 0, 4",
        "fsdp in shards of 4, 0, 0, 0, 4"
    })
    void isThatOfTheFormulaInFp8InMoreModes(String mode, int inFp8, int inBf16, int gradients, int sharedGradients) {
        isThatOfTheFormulaInFp8(mode, inFp8, inBf16, gradients, sharedGradients);
    }

    /** What layers read. With {@code fsdp} only the quantized copies of the block that works; what it gathers is communication. */
    private static long layersBytes(String mode, List<List<ParameterSpec>> blocks, int inFp8, int inBf16) {
        if (inFp8 == 0) {
            return blocks.stream()
                    .mapToLong(block -> block.stream()
                            .filter(ModeMemoryTest::isInFp8)
                            .mapToLong(ModeMemoryTest::quantizedBytes)
                            .sum())
                    .max()
                    .orElseThrow();
        }
        List<List<ParameterSpec>> layouts = mode.startsWith("zero1")
                ? List.of(blocks.stream().flatMap(List::stream).toList())
                : blocks;
        long bytes = 0;
        for (List<ParameterSpec> layout : layouts) {
            List<ParameterSpec> quantized =
                    layout.stream().filter(ModeMemoryTest::isInFp8).toList();
            long others = sum(layout) - sum(quantized);
            bytes +=
                    quantized.stream().mapToLong(ModeMemoryTest::quantizedBytes).sum() + (inFp8 - 2) * sum(quantized);
            bytes += allocated(inBf16 * (quantized.isEmpty() ? padded(others) : others));
        }
        return bytes;
    }

    private static boolean isInFp8(ParameterSpec spec) {
        return spec.name().startsWith("model.layers.") && spec.isMatrix();
    }

    /** Of both directions, a byte an element and an FP32 scale for each square. */
    private static long quantizedBytes(ParameterSpec spec) {
        long squares = Math.ceilDiv(spec.shape().dim(0), SQUARE)
                * Math.ceilDiv(spec.shape().dim(1), SQUARE);
        return 2 * (allocated(spec.shape().elements()) + allocated(Float.BYTES * squares));
    }

    private static long allocated(long bytes) {
        return Math.ceilDiv(bytes, ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    }

    private static LocalRun open(String mode, PrecisionStrategy precision) {
        var ways = new Layouts.Ways("1f1b", "ring", mode, true, true);
        var layout = new Layout(new Layouts.Extents(1, 1, 1, RANKS), ways, Recompute.NONE, 1, false, LAYERS);
        return LocalRun.open(
                Layouts.configuration(layout),
                Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens()));
    }

    private static int shards(String mode) {
        return mode.contains(" in shards of ") ? Integer.parseInt(mode.substring(mode.lastIndexOf(' ') + 1)) : RANKS;
    }

    /** Of all layouts, with padding: the small model has one bucket; otherwise a block has one, as none shares a parameter. */
    private static long elements(String mode, List<List<ParameterSpec>> blocks) {
        LongStream ofBlocks = blocks.stream().mapToLong(ModeMemoryTest::sum);
        return mode.startsWith("zero1")
                ? padded(ofBlocks.sum())
                : ofBlocks.map(ModeMemoryTest::padded).sum();
    }

    private static long sum(List<ParameterSpec> specs) {
        return specs.stream().mapToLong(spec -> spec.shape().elements()).sum();
    }

    private static long padded(long elements) {
        return Math.ceilDiv(elements, UNIT) * UNIT;
    }
}
