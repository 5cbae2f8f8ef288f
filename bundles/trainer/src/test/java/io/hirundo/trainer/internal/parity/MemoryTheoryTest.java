package io.hirundo.trainer.internal.parity;

import static io.hirundo.device.MemoryCategory.ACTIVATIONS;
import static io.hirundo.device.MemoryCategory.COMMUNICATION;
import static io.hirundo.device.MemoryCategory.GRADIENTS;
import static io.hirundo.device.MemoryCategory.OPTIMIZER;
import static io.hirundo.device.MemoryCategory.WEIGHTS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.learningrate.internal.ConstantFactory;
import io.hirundo.learningrate.internal.ConstantOptions;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.section.EvaluationSection;
import io.hirundo.lib.run.section.MeshAxis;
import io.hirundo.lib.run.section.MeshSection;
import io.hirundo.lib.run.section.TrainingSection;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The memory of a rank in fp32 equals the theory to the byte. Sizes are chosen such that no bucket needs padding. The cost of a layer is
 * the difference between models with more and fewer layers, in which everything else cancels out.
 */
class MemoryTheoryTest {
    private static final long BYTES = 4;
    private static final int TOKENS = 32;
    private static final int VOCABULARY = 128;
    private static final int HIDDEN = 128;
    private static final int HEADS = 8;
    private static final int KEY_HEADS = 4;
    private static final int INNER = 192;
    private static final int MICROBATCHES = 8;
    private static final int FEW_LAYERS = 2;
    private static final int MANY_LAYERS = 6;

    /** Channels of the fused queries, keys and values. */
    private static final int FUSED = HIDDEN + 2 * HIDDEN / HEADS * KEY_HEADS;

    private static final long LAYER_ELEMENTS =
            (long) HIDDEN * FUSED + HIDDEN * HIDDEN + 3L * HIDDEN * INNER + 2 * HIDDEN;

    private static final long HEAD_ELEMENTS = VOCABULARY * HIDDEN + HIDDEN;

    private static long modelElements(int layers) {
        return VOCABULARY * HIDDEN + layers * LAYER_ELEMENTS + HEAD_ELEMENTS;
    }

    /** Weights and gradients are replicated; the two moments of AdamW are sharded. */
    @ParameterizedTest
    @CsvSource({"1", "2", "4", "8"})
    void zero1(int ranks) {
        for (var peak : peaks(new Extents(1, 1, 1, ranks), Ways.DEFAULT, FEW_LAYERS)) {
            assertEquals(BYTES * modelElements(FEW_LAYERS), peak.get(WEIGHTS));
            assertEquals(BYTES * modelElements(FEW_LAYERS), peak.get(GRADIENTS));
            assertEquals(2 * BYTES * modelElements(FEW_LAYERS) / ranks, peak.get(OPTIMIZER));
        }
    }

    /** Gradients of a layer come when activations of the next ones are gone; those of several microbatches stay. */
    @ParameterizedTest
    @ValueSource(strings = {"zero1 late", "fsdp late"})
    void lateGradientsTakeTheMemoryOfActivations(String data) {
        var alone = new Extents(1, 1, 1, 1);
        var ways = new Ways("1f1b", "ring", data, true, true);
        long kept = keptForBackward(1, true);
        long sharedByOne =
                bytesNotAtThePeak(dryRuns(alone, ways, MANY_LAYERS, 1).getFirst());
        assertTrue(sharedByOne > (MANY_LAYERS - 2) * kept, "shared: " + sharedByOne);
        long sharedByTwo =
                bytesNotAtThePeak(dryRuns(alone, ways, MANY_LAYERS, 2).getFirst());
        assertTrue(sharedByTwo < kept, "shared: " + sharedByTwo);
    }

    private static long bytesNotAtThePeak(DryRun.OfRank rank) {
        return rank.peakBytes().values().stream().mapToLong(Long::longValue).sum() - rank.peakTotalBytes();
    }

    /**
     * Everything is sharded. Unsharded are only the weights of the current block and, with overlap, of the next one; and the gradients of the
     * current block and, with overlap, of the previous one.
     */
    @ParameterizedTest
    @CsvSource({"2,true", "2,false", "4,true", "8,true", "8,false"})
    void fsdp(int ranks, boolean overlap) {
        var ways = new Ways("1f1b", "ring", "fsdp", true, overlap);
        for (var peak : peaks(new Extents(1, 1, 1, ranks), ways, MANY_LAYERS)) {
            assertEquals(BYTES * modelElements(MANY_LAYERS) / ranks, peak.get(WEIGHTS));
            assertEquals(BYTES * modelElements(MANY_LAYERS) / ranks, peak.get(GRADIENTS));
            assertEquals(2 * BYTES * modelElements(MANY_LAYERS) / ranks, peak.get(OPTIMIZER));
            long chunks = ranks == 2 ? 0 : chunkElements(HEAD_ELEMENTS / ranks) + chunkElements(LAYER_ELEMENTS / ranks);
            assertEquals(BYTES * ((overlap ? 4 : 2) * LAYER_ELEMENTS + chunks), peak.get(COMMUNICATION));
        }
    }

    /**
     * More than two ranks accumulate in a chunk buffer, whose size is a power of two. It is kept; first for the head, then for the larger
     * layers.
     */
    private static long chunkElements(long slice) {
        return Long.highestOneBit(2 * slice - 1);
    }

    /**
     * The operands of split matrices shrink with the number of ranks; those of norms and the residual stream only with sequence parallelism.
     */
    @ParameterizedTest
    @CsvSource({"1,true", "2,false", "2,true", "4,false", "4,true"})
    void sequenceParallel(int ranks, boolean sequenceParallel) {
        var extents = new Extents(ranks, 1, 1, 1);
        var ways = new Ways("1f1b", "ring", "zero1", sequenceParallel, true);
        long ofLayers = peaks(extents, ways, MANY_LAYERS).getFirst().get(ACTIVATIONS)
                - peaks(extents, ways, FEW_LAYERS).getFirst().get(ACTIVATIONS);
        assertEquals((MANY_LAYERS - FEW_LAYERS) * keptForBackward(ranks, sequenceParallel), ofLayers);
    }

    /** Input of the layer, sum after the attention, outputs and statistics of both norms; q, k, v, attention output, log-sum-exp; MLP. */
    private static long keptForBackward(int ranks, boolean sequenceParallel) {
        long stream = TOKENS * (4 * HIDDEN + 2);
        long split = TOKENS * (FUSED + HIDDEN + HEADS + 3 * INNER);
        return BYTES * (stream / (sequenceParallel ? ranks : 1) + split / ranks);
    }

    /**
     * Kept between the halves of the backward pass: inputs and output gradients of four GEMMs and two norms. The residual stream's gradient
     * is the output gradient of a GEMM and of a sum at once.
     */
    private static long keptForWeights() {
        return BYTES * TOKENS * (8 * HIDDEN + 2 + FUSED + HIDDEN + 3 * INNER);
    }

    /** Every rank keeps the activations that its plan says, at the peak. */
    @ParameterizedTest
    @CsvSource({"gpipe", "1f1b", "interleaved", "zb-h1", "zb-v"})
    void pipeline(String name) {
        int ranks = 4;
        var schedule = TestParallel.schedule(name);
        var plan = PipelinePlan.of(schedule, ranks, MICROBATCHES);
        int stages = plan.shape().stages();
        var few = peaks(new Extents(1, 1, ranks, 1), Ways.of(name), stages * FEW_LAYERS);
        var many = peaks(new Extents(1, 1, ranks, 1), Ways.of(name), stages * MANY_LAYERS);
        for (int rank = 0; rank < ranks; rank++) {
            assertEquals(
                    (MANY_LAYERS - FEW_LAYERS) * mostKept(plan, rank),
                    many.get(rank).get(ACTIVATIONS) - few.get(rank).get(ACTIVATIONS),
                    "rank " + rank);
        }
    }

    private static long mostKept(PipelinePlan plan, int rank) {
        long kept = 0;
        long most = 0;
        List<Action> actions = plan.actions(rank);
        for (int index = 0; index < actions.size(); index++) {
            kept += switch (actions.get(index).kind()) {
                case FORWARD -> keptForBackward(1, true);
                case BACKWARD_INPUT -> plan.isFused(rank, index) ? 0 : keptForWeights() - keptForBackward(1, true);
                case BACKWARD_WEIGHT ->
                    -(index > 0 && plan.isFused(rank, index - 1) ? keptForBackward(1, true) : keptForWeights());
            };
            most = Math.max(most, kept);
        }
        return most;
    }

    /** The peaks of every rank. One sequence is a microbatch, and every rank has equally many. */
    private static List<Map<MemoryCategory, Long>> peaks(Extents extents, Ways ways, int layers) {
        return dryRuns(extents, ways, layers, MICROBATCHES).stream()
                .map(DryRun.OfRank::peakBytes)
                .toList();
    }

    private static List<DryRun.OfRank> dryRuns(Extents extents, Ways ways, int layers, int microbatches) {
        var sizes = new LlamaOptions(
                VOCABULARY,
                HIDDEN,
                INNER,
                layers,
                HEADS,
                KEY_HEADS,
                0,
                TOKENS,
                1e-5,
                10000,
                null,
                false,
                0.02,
                false,
                false,
                0);
        var strategies = new Strategies(
                new Strategies.Compute(
                        new MetaFactory().create(new MetaOptions("exact", 1, 0, 0, null)),
                        new Fp32Factory().create(new NoOptions())),
                TestParallel.of(ways),
                new Strategies.Model(new LlamaFactory().create(sizes), null, Optional.empty()),
                new Strategies.Step(
                        new AdamWFactory().create(new AdamWOptions()),
                        new ConstantFactory().create(new ConstantOptions())),
                new Strategies.Data(request -> new StructuredTokens(), Map.of(), Optional.empty()),
                new Strategies.Outcome(Optional.empty(), Optional.empty(), List.of()));
        return DryRun.of(configuration(extents, ways, layers, microbatches), strategies)
                .ranks();
    }

    private static RunConfiguration configuration(Extents extents, Ways ways, int layers, int microbatches) {
        var defaults = new RunConfiguration();
        int stages = extents.pipeline() * TestParallel.schedule(ways.schedule()).chunks();
        var mesh = new MeshSection(
                Choice.of("local"),
                extents.tensor(),
                extents.context(),
                extents.pipeline(),
                extents.data(),
                List.of(MeshAxis.values()),
                Choice.of(ways.schedule()),
                Collections.nCopies(stages, layers / stages),
                0,
                Choice.of("column-row"),
                Choice.of(ways.context()),
                Choice.of(ways.data()));
        return new RunConfiguration(
                1,
                7,
                defaults.run(),
                defaults.model(),
                defaults.device(),
                defaults.precision(),
                mesh,
                new TrainingSection(2, TOKENS, 1, microbatches * extents.data(), 1.0, Recompute.NONE),
                defaults.optimizer(),
                defaults.learningRate(),
                defaults.data(),
                new EvaluationSection(0, 1, Map.of(), 0, 0),
                defaults.samples(),
                defaults.fingerprints(),
                defaults.checkpoint(),
                defaults.swap(),
                defaults.audit(),
                List.of());
    }
}
