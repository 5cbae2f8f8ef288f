package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.event.TrainingEvent;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseFactory;
import io.hirundo.fp8blockwise.internal.Fp8BlockwiseOptions;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.trainer.internal.fixture.Parity;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A block-scaled fp8 run equals a bf16 run up to quantization error, and its layouts equal a single rank. Precision can change during a
 * run.
 */
class Fp8TrainingTest {
    /** With shard-local blocks, because splits of this small model cut blocks. */
    private static final PrecisionStrategy FP8 = fp8(Fp8BlockwiseOptions.SHARD_LOCAL);

    /**
     * Two to three times the observed quantization error. A GEMM is off by 0.05, and the first layer's gradients accumulate the errors of
     * many.
     */
    private static final Parity AS_IN_BF16 = new Parity(3e-4, 1e-2, 0.16, 2e-3);

    /** Splits of tokens or weights move block boundaries, and sums are rounded at other points. */
    private static final Parity SPLIT = new Parity(2e-4, 1e-2, 0.08, 2e-3);

    private static Trace alone;

    private static PrecisionStrategy fp8(String blocks) {
        return new Fp8BlockwiseFactory()
                .create(new Fp8BlockwiseOptions(
                        Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.E4M3, blocks, 0, 0, true, false));
    }

    @TempDir
    private Path folder;

    @BeforeAll
    static void trainAlone() {
        alone = Layouts.run(Layout.alone(true), FP8);
    }

    @Test
    void trainsAsBf16() {
        Trace bf16 = Layouts.alone(Layout.alone(true), Layouts.BF16, Layouts.STEPS);

        AS_IN_BF16.check(bf16, alone);
        assertTrue(!bf16.losses().equals(alone.losses()), "nothing was quantized");
        assertTrue(alone.learns(), () -> "does not learn: " + alone.losses());
    }

    /** Without splits both block placements are valid and equal. */
    @Test
    void isBitwiseReproducible() {
        Trace again = Layouts.run(Layout.alone(true), fp8(Fp8BlockwiseOptions.ALIGNED));
        assertEquals(alone.losses(), again.losses());
        assertEquals(alone.norms(), again.norms());
    }

    @ParameterizedTest
    @MethodSource
    void layouts(Layout layout) {
        SPLIT.check(alone, Layouts.run(layout, FP8));
    }

    static Stream<Layout> layouts() {
        return Stream.of(
                layout(1, 1, 2, 1, Ways.DEFAULT, Recompute.NONE),
                layout(1, 1, 1, 2, Ways.DEFAULT, Recompute.SELECTIVE),
                layout(2, 1, 1, 1, Ways.DEFAULT, Recompute.SELECTIVE),
                layout(1, 2, 1, 1, Ways.DEFAULT, Recompute.NONE),
                layout(2, 2, 1, 2, new Ways("1f1b", "all-gather", "fsdp", false, true), Recompute.FULL));
    }

    private static Layout layout(int tensor, int context, int pipeline, int data, Ways ways, Recompute recompute) {
        return new Layout(new Extents(tensor, context, pipeline, data), ways, recompute, 2, true);
    }

    @Test
    void rejectsSplitsThatCutBlocks() {
        PrecisionStrategy aligned = fp8(Fp8BlockwiseOptions.ALIGNED);
        var byTensor = assertThrows(
                ConfigurationException.class,
                () -> Layouts.run(layout(2, 1, 1, 1, Ways.DEFAULT, Recompute.NONE), aligned));
        assertTrue(
                byTensor.getMessage()
                        .matches("precision: cannot compute layer model.layers.0.*128.*blocks=shard-local.*"),
                byTensor.getMessage());
        var byContext = assertThrows(
                ConfigurationException.class,
                () -> Layouts.run(layout(1, 2, 1, 1, Ways.DEFAULT, Recompute.NONE), aligned));
        assertTrue(
                byContext
                        .getMessage()
                        .matches("precision: cannot compute with mesh.context 2: .*8 tokens.*blocks=shard-local.*"),
                byContext.getMessage());
    }

    @Test
    void changesFromBf16AndBackInOneRun() {
        for (Map<String, Object> mesh : List.<Map<String, Object>>of(Map.of(), Map.of("tensor", 2, "data", 2))) {
            var run = inBf16("swapped-" + mesh.size(), mesh);
            var there = run.change(2, "precision={name: fp8-blockwise, options: {blocks: shard-local}}");
            var back = run.change(6, "precision=bf16");
            run.run();
            assertTrue(there.join().granted(), there.join().message());
            assertTrue(back.join().granted(), back.join().message());
            List<Double> expected = inBf16("unchanged-" + mesh.size(), mesh).run().losses;
            assertEquals(expected.subList(0, 3), run.losses.subList(0, 3));
            assertNotEquals(expected.get(4), run.losses.get(4));
            for (int step = 0; step < SteeredRun.STEPS; step++) {
                assertEquals(expected.get(step), run.losses.get(step), 0.002, "step " + (step + 1));
            }
            var changes =
                    run.events(TrainingEvent.StrategiesChanged.class).getFirst().changes();
            assertTrue(
                    changes.toString().contains("GEMMs in fp8: model.layers.0-3.self_attn.qkv.weight"),
                    changes.toString());
            assertTrue(
                    changes.contains("GEMMs in bf16 (the loss head, unless head=true): lm_head.weight"),
                    changes.toString());
            assertCounted(run.events(TrainingEvent.MessagesCounted.class), mesh.isEmpty());
        }
    }

    /** The collectives send fewer bytes after the change, and as many as before after the change back. */
    private static void assertCounted(List<TrainingEvent.MessagesCounted> counted, boolean alone) {
        if (alone) {
            assertEquals(List.of(), counted);
            return;
        }
        // Not steps 4 and 8: in the first step after a change the weights are already gathered by the parity check.
        assertEquals(
                List.of(1L, 5L, 9L),
                counted.stream().map(TrainingEvent.MessagesCounted::step).toList());
        for (String name : List.of("send tensor", "all-gather context+data")) {
            var bytes = counted.stream().map(each -> each.bytes().get(name)).toList();
            assertTrue(bytes.get(1) < bytes.get(0), name + ": " + bytes);
        }
        assertEquals(counted.getFirst().bytes(), counted.getLast().bytes());
    }

    private SteeredRun inBf16(String name, Map<String, Object> mesh) {
        return new SteeredRun(folder.resolve(name))
                .with("precision", Map.of("name", "bf16"))
                .with("mesh", mesh);
    }
}
