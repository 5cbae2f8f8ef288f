package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.data.DataCursor;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.model.layer.Recompute;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.fixture.Replaced;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import io.hirundo.trainer.internal.session.LocalRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** AdamW with moments in 8 bits: losses, memory, and state in every layout. */
class EightBitStateTest {
    /** With twice as many channels, rows are complete blocks also on two tensor ranks. */
    private static final int HIDDEN = Replaced.BLOCK_CHANNELS;

    private static Layout layout(String mode, int tensor, int data) {
        return new Layout(
                new Extents(tensor, 1, 1, data), new Ways("1f1b", "ring", mode, true, true), Recompute.NONE, 1, true);
    }

    private static Strategies strategies(Layout layout, ComputeBackend backend, int hidden, boolean eightBit) {
        return Replaced.adamW(
                Layouts.strategies(layout, backend, request -> new StructuredTokens()), hidden, 1, eightBit);
    }

    private static LocalRun open(Layout layout, int hidden, boolean eightBit) {
        return LocalRun.open(Layouts.configuration(layout), strategies(layout, Layouts.cpu(), hidden, eightBit));
    }

    private static List<Double> losses(LocalRun run, int steps) {
        var losses = new ArrayList<Double>();
        for (int step = 0; step < steps; step++) {
            losses.add(run.step().loss());
        }
        return losses;
    }

    @Test
    void trainsAsMomentsInFp32Do() {
        try (LocalRun exact = open(layout("zero1", 1, 2), 2 * HIDDEN, false);
                LocalRun quantized = open(layout("zero1", 1, 2), 2 * HIDDEN, true)) {
            List<Double> expected = losses(exact, 6);
            List<Double> found = losses(quantized, 6);
            assertFalse(expected.equals(found), "nothing was quantized");
            for (int step = 0; step < expected.size(); step++) {
                assertEquals(1, found.get(step) / expected.get(step), 5e-3, "step " + step);
            }
            assertTrue(Collections.min(found) < found.getFirst() - 0.05, found::toString);
        }
    }

    /** Quantized values and scales are named and global: they load bitwise, and the next step is the same. */
    @ParameterizedTest
    @CsvSource({"128, zero1, 1, 2, fsdp, 1, 4", "256, fsdp, 2, 1, zero2, 1, 2"})
    void resumesBitwiseInAnotherLayout(int hidden, String from, int tp, int dp, String to, int toTp, int toDp) {
        Map<String, double[]> saved;
        double next;
        try (LocalRun run = open(layout(from, tp, dp), hidden, true)) {
            losses(run, 2);
            saved = GlobalState.of(run);
            run.step();
            next = run.evaluate();
        }
        assertTrue(
                saved.containsKey("optimizer/exp_avg_quantized/model.layers.0.mlp.down_proj.weight"),
                saved.keySet()::toString);
        assertEquals(
                hidden * hidden / AdamW8BitKernels.BLOCK_ELEMENTS,
                saved.get("optimizer/exp_avg_sq_scales_128/model.layers.0.mlp.down_proj.weight").length);
        try (LocalRun run = open(layout(to, toTp, toDp), hidden, true)) {
            GlobalState.load(run, saved);
            Map<String, double[]> loaded = GlobalState.of(run);
            assertEquals(saved.keySet(), loaded.keySet());
            saved.forEach((key, values) -> assertArrayEquals(values, loaded.get(key), key));
            run.seek(2, DataCursor.BEGINNING);
            run.step();
            assertEquals(next, run.evaluate(), 1e-5);
        }
    }

    /** Of each moment a byte an element and a scale for a block; vectors keep FP32. */
    @Test
    void memoryIsThatOfTheFormulaAndOfThePlan() {
        Layout split = layout("fsdp", 1, 2);
        int hidden = 2 * HIDDEN;
        long matrices = (long) Layouts.VOCABULARY * hidden
                + 1L * (hidden * hidden * 2 + hidden * hidden / 2 * 2 + 3 * hidden * hidden);
        long vectors = 3L * hidden;
        try (LocalRun run = open(split, hidden, true)) {
            losses(run, 2);
            long used = run.ranks().ledger(0).peakBytes().get(MemoryCategory.OPTIMIZER)
                    + run.ranks().ledger(1).peakBytes().get(MemoryCategory.OPTIMIZER);
            // Devices round each tensor up to 64 bytes, in all by less than half of what scales take.
            assertEquals(
                    2 * (matrices + 4 * matrices / AdamW8BitKernels.BLOCK_ELEMENTS) + 8 * vectors, used, 64 * 4 * 40);
            var profile = Layouts.cpu().memoryProfile();
            var meta = new MetaFactory()
                    .create(new MetaOptions(
                            profile.deviceName(), profile.alignmentBytes(), profile.workspaceBytes(), 1L << 40, null));
            run.step();
            run.validation().all(() -> false);
            // As runs do that save checkpoints or change strategies.
            run.exchange("between two steps");
            var planned = DryRun.of(Layouts.configuration(split), strategies(split, meta, hidden, true))
                    .ranks();
            for (int rank = 0; rank < 2; rank++) {
                assertEquals(
                        run.ranks().ledger(rank).peakBytes(), planned.get(rank).peakBytes(), "rank " + rank);
            }
        }
    }
}
