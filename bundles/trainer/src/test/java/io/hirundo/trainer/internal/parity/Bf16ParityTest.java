package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.Parity;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A bf16 run equals an fp32 run up to rounding, and its layouts equal a single rank. */
class Bf16ParityTest {
    /** Twice the observed rounding error, three times for losses. The mean rounding error of a bf16 element is 2e-3. */
    private static final Parity AS_IN_FP32 = new Parity(1e-4, 2.5e-3, 2.5e-2, 5e-4);

    /** Sums over split matrices or sequences are rounded at other points. */
    private static final Parity SPLIT_SUMS = new Parity(1e-4, 2e-3, 2.5e-2, 5e-4);

    /**
     * Complete layers compute bitwise equal results. Gradients are accumulated in fp32 in another order, so later steps differ by rounding.
     */
    private static final Parity WHOLE_LAYERS = new Parity(1e-4, 2e-3, 1e-5, 1e-4);

    private static Trace alone;

    /** Traces that two tests use. */
    private static final Map<Layout, Trace> SPLIT = new ConcurrentHashMap<>();

    @BeforeAll
    static void trainAlone() {
        alone = Layouts.alone(Layout.alone(true), Layouts.BF16, Layouts.STEPS);
    }

    @Test
    void trainsAsFp32() {
        Trace fp32 = Layouts.alone(Layout.alone(true), Layouts.FP32, Layouts.STEPS);

        AS_IN_FP32.check(fp32, alone);
        assertTrue(!fp32.losses().equals(alone.losses()), "nothing was rounded");
        assertTrue(alone.learns(), () -> "does not learn: " + alone.losses());
    }

    @ParameterizedTest
    @MethodSource
    void splitSums(Layout layout) {
        SPLIT_SUMS.check(alone, split(layout));
    }

    static Stream<Layout> splitSums() {
        return Stream.of(
                layout(2, 1, 1, 1, Ways.DEFAULT, Recompute.SELECTIVE),
                layout(1, 2, 1, 1, Ways.DEFAULT, Recompute.NONE),
                layout(2, 2, 1, 2, new Ways("1f1b", "all-gather", "fsdp", false, true), Recompute.FULL),
                layout(4, 1, 2, 1, Ways.of("zb-h1"), Recompute.NONE));
    }

    @ParameterizedTest
    @MethodSource
    void wholeLayers(Layout layout) {
        WHOLE_LAYERS.check(alone, Layouts.run(layout, Layouts.BF16));
    }

    static Stream<Layout> wholeLayers() {
        return Stream.of(
                layout(1, 1, 2, 1, Ways.DEFAULT, Recompute.NONE),
                layout(1, 1, 1, 2, Ways.DEFAULT, Recompute.SELECTIVE),
                layout(1, 1, 2, 2, Ways.of("zb-v"), Recompute.NONE),
                layout(1, 1, 1, 2, new Ways("1f1b", "ring", "zero2", true, true), Recompute.FULL),
                layout(1, 1, 1, 4, new Ways("1f1b", "ring", "fsdp in shards of 2", true, true), Recompute.NONE));
    }

    @ParameterizedTest
    @MethodSource
    void overlapChangesNoBit(Layout layout) {
        Trace with = split(layout);
        Trace without = Layouts.run(layout.withoutOverlap(), Layouts.BF16);

        assertEquals(without.losses(), with.losses());
        assertEquals(without.norms(), with.norms());
        without.weights()
                .forEach((path, values) ->
                        assertArrayEquals(values, with.weights().get(path), path));
    }

    static Stream<Layout> overlapChangesNoBit() {
        return splitSums().skip(2);
    }

    private static Trace split(Layout layout) {
        return SPLIT.computeIfAbsent(layout, each -> Layouts.run(each, Layouts.BF16));
    }

    private static Layout layout(int tensor, int context, int pipeline, int data, Ways ways, Recompute recompute) {
        return new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, true);
    }
}
