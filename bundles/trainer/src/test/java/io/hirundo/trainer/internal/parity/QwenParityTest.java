package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hirundo.model.Architecture;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Qwen 2, tied with biases, and Qwen 3, untied with head norms, on layouts that together cover the pairs of {@link PairwiseCover}. */
class QwenParityTest {
    private static final boolean QWEN2 = true;
    private static final boolean QWEN3 = false;

    private static final Map<Boolean, Layouts.Trace> ALONE = new ConcurrentHashMap<>();

    static List<Layout> layouts() {
        return List.of(
                layout(2, 1, 1, 1, new Ways("1f1b", "ring", "zero1", true, true), Recompute.NONE, QWEN2),
                layout(1, 2, 1, 2, new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, QWEN3),
                layout(1, 1, 2, 1, new Ways("gpipe", "ring", "zero1", true, true), Recompute.FULL, QWEN3),
                layout(2, 2, 2, 2, new Ways("1f1b", "ring", "fsdp", false, true), Recompute.FULL, QWEN2),
                layout(1, 1, 2, 2, new Ways("zb-h1", "ring", "zero2", true, true), Recompute.SELECTIVE, QWEN2),
                layout(2, 2, 2, 1, new Ways("zb-h1", "all-gather", "zero1", true, true), Recompute.SELECTIVE, QWEN3),
                layout(2, 1, 2, 2, new Ways("interleaved", "ring", "zero2", false, true), Recompute.NONE, QWEN3),
                layout(1, 2, 2, 1, new Ways("zb-v", "all-gather", "zero1", true, true), Recompute.NONE, QWEN2));
    }

    private static Layout layout(
            int tensor, int context, int pipeline, int data, Ways ways, Recompute recompute, boolean tied) {
        return new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, tied);
    }

    private static Architecture model(boolean tied) {
        return (tied ? SmallFamily.QWEN2 : SmallFamily.QWEN3).model(Layouts.LAYERS, tied);
    }

    private static void check(Layout layout) {
        Layouts.Trace alone = ALONE.computeIfAbsent(layout.tied(), tied -> Layouts.run(layout.alone(), model(tied)));
        LayoutParityTest.PARITY.check(alone, Layouts.run(layout, model(layout.tied())));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void everyLayoutHasTheLossesOfOneRank(Layout layout) {
        check(layout);
    }

    /** Eight tensor ranks share four key/value heads, with their biases or norms. */
    @ParameterizedTest
    @ValueSource(booleans = {QWEN2, QWEN3})
    void sharedHeadsHaveTheLossesOfOneRank(boolean tied) {
        check(layout(8, 1, 1, 1, Ways.DEFAULT, tied ? Recompute.NONE : Recompute.SELECTIVE, tied));
    }

    @Test
    void layoutsCoverEachPair() {
        assertEquals(Set.of(), PairwiseCover.missingOfKinds(layouts()));
    }

    /** So the cover notices what is missing, and eight layouts are not too many. */
    @Test
    void noLayoutIsSuperfluous() {
        for (Layout layout : layouts()) {
            List<Layout> others = new ArrayList<>(layouts());
            others.remove(layout);
            assertFalse(PairwiseCover.missingOfKinds(others).isEmpty(), layout::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {QWEN2, QWEN3})
    void overlapChangesNoBit(boolean tied) {
        var layout = layout(2, 2, 1, 2, new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE, tied);

        assertEquals(
                Layouts.run(layout.withoutOverlap(), model(tied)).losses(),
                Layouts.run(layout, model(tied)).losses());
    }
}
