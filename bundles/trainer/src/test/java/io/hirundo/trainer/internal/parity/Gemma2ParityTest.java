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
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gemma 2 on layouts that together cover the pairs of {@link PairwiseCover}. */
class Gemma2ParityTest {
    private static final Architecture MODEL = SmallFamily.GEMMA2.model(Layouts.LAYERS, true);

    private static final Layouts.Trace ALONE = Layouts.run(Layout.alone(true), MODEL);

    static List<Layout> layouts() {
        return List.of(
                layout(8, 1, 1, 1, new Ways("1f1b", "ring", "zero1", true, true), Recompute.SELECTIVE),
                layout(1, 2, 1, 2, new Ways("1f1b", "ring", "zero2", true, true), Recompute.SELECTIVE),
                layout(1, 1, 2, 1, new Ways("gpipe", "ring", "zero1", true, true), Recompute.FULL),
                layout(2, 2, 2, 2, new Ways("1f1b", "all-gather", "fsdp", true, true), Recompute.FULL),
                layout(1, 1, 2, 2, new Ways("zb-h1", "ring", "fsdp", true, true), Recompute.SELECTIVE),
                layout(2, 2, 2, 1, new Ways("zb-h1", "ring", "zero1", false, true), Recompute.SELECTIVE),
                layout(2, 1, 2, 2, new Ways("interleaved", "ring", "zero2", false, true), Recompute.NONE),
                layout(1, 2, 2, 1, new Ways("zb-v", "all-gather", "zero1", true, true), Recompute.NONE));
    }

    private static Layout layout(int tensor, int context, int pipeline, int data, Ways ways, Recompute recompute) {
        return new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, true);
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void everyLayoutHasTheLossesOfOneRank(Layout layout) {
        LayoutParityTest.PARITY.check(ALONE, Layouts.run(layout, MODEL));
    }

    @Test
    void layoutsCoverEachPair() {
        assertEquals(Set.of(), PairwiseCover.missing(layouts()));
    }

    /** So the cover notices what is missing, and eight layouts are not too many. */
    @Test
    void noLayoutIsSuperfluous() {
        for (Layout layout : layouts()) {
            List<Layout> others = new ArrayList<>(layouts());
            others.remove(layout);
            assertFalse(PairwiseCover.missing(others).isEmpty(), layout::toString);
        }
    }

    @Test
    void overlapChangesNoBit() {
        var layout = layout(2, 2, 1, 2, new Ways("1f1b", "ring", "fsdp", true, true), Recompute.NONE);

        assertEquals(
                Layouts.run(layout.withoutOverlap(), MODEL).losses(),
                Layouts.run(layout, MODEL).losses());
    }
}
