package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code reduceEvery: step}: gradients of several microbatches are accumulated, and reduced once. */
class ReduceEveryTest {
    private static final int STEPS = 5;
    private static final int MICROBATCHES = 4;

    private static Layout layout(String mode, String schedule, int pipeline, int data) {
        int microBatch = Math.max(1, Layouts.GLOBAL_BATCH / MICROBATCHES / data);
        return new Layout(
                new Extents(1, 1, pipeline, data),
                new Ways(schedule, "ring", mode, true, true),
                Recompute.NONE,
                microBatch,
                true);
    }

    private static Trace run(Layout layout) {
        RunConfiguration configuration = Layouts.withoutClipping(Layouts.configuration(layout), Layouts.GLOBAL_BATCH);
        return Layouts.run(
                configuration, STEPS, Layouts.strategies(layout, Layouts.cpu(), request -> new StructuredTokens()));
    }

    /**
     * {@code zero1} adds up the same gradients in the same order. Without clipping: the norm of gradients is added up rank by rank, so its last
     * bits depend on the owners.
     */
    @ParameterizedTest
    @CsvSource({"zero2, 1f1b, 1", "zero2, zb-v, 2", "fsdp, zb-h1, 2"})
    void trainsWithTheBitsOfZero1(String mode, String schedule, int pipeline) {
        Trace expected = run(layout("zero1", schedule, pipeline, 2));
        Trace found = run(layout(mode + " once a step", schedule, pipeline, 2));
        assertEquals(expected.losses(), found.losses());
        expected.weights()
                .forEach((path, values) ->
                        assertArrayEquals(values, found.weights().get(path), path));
    }

    @ParameterizedTest
    @CsvSource({"fsdp in shards of 2 once a step, 1f1b, 1, 4", "fsdp once a step, interleaved, 2, 2"})
    void trainsAsASingleRankDoes(String mode, String schedule, int pipeline, int data) {
        Layout split = layout(mode, schedule, pipeline, data);
        LayoutParityTest.PARITY.check(Layouts.run(split.alone(), STEPS), Layouts.run(split, STEPS));
    }

    /** Each step has {@link #MICROBATCHES}: a quarter of the reductions, and the gradients of all parameters in FP32 next to the slices. */
    @ParameterizedTest
    @ValueSource(strings = {"zero2", "fsdp"})
    void sendsLessAndNeedsMoreMemory(String mode) {
        var each = planned(layout(mode, "1f1b", 1, 2));
        var once = planned(layout(mode + " once a step", "1f1b", 1, 2));
        // The tied embedding, whose two uses are reduced apart in each microbatch, and complete once.
        long units = Layouts.LAYERS + 2;
        assertEquals(MICROBATCHES * (units + 1), reductions(each));
        assertEquals(units, reductions(once));
        long slices = each.peakBytes().get(MemoryCategory.GRADIENTS);
        assertEquals(3 * slices, once.peakBytes().get(MemoryCategory.GRADIENTS));
        assertTrue(once.peakBytes().get(MemoryCategory.COMMUNICATION)
                < each.peakBytes().get(MemoryCategory.COMMUNICATION));
    }

    private static DryRun.OfRank planned(Layout layout) {
        var meta = new MetaFactory().create(new MetaOptions());
        return DryRun.of(
                        Layouts.configuration(layout),
                        Layouts.strategies(layout, meta, request -> new StructuredTokens()))
                .ranks()
                .getFirst();
    }

    private static long reductions(DryRun.OfRank rank) {
        var messages = rank.collectivesPerStep();
        messages.keySet().removeIf(name -> !name.startsWith("reduce-scatter "));
        assertEquals(1, messages.size(), messages::toString);
        return messages.values().iterator().next().calls();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zero2", "fsdp in shards of 2"})
    void takesThePlannedBytes(String mode) {
        Layout split = layout(mode + " once a step", "1f1b", 1, mode.equals("zero2") ? 2 : 4);
        PlanParityTest.assertPlanned(
                Layouts.configuration(split),
                backend -> Layouts.strategies(split, PlanParityTest.BF16, backend, request -> new StructuredTokens()),
                Set.of());
    }
}
