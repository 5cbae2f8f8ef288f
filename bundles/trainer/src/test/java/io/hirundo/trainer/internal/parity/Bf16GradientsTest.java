package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gradients that are accumulated in BF16: the losses of a training that accumulates in FP32, within the bound of docs/parallelism.md. */
class Bf16GradientsTest {
    private static final PrecisionStrategy BF16 = new Bf16Factory().create(new Bf16Options());

    /** Relative, of losses. */
    private static final double LOSS = 1e-4;

    /** Relative, of the norm of the first gradient, of which each rank rounds up to four summands, and the sum. */
    private static final double NORM = 5 * 0x1p-9;

    @ParameterizedTest
    @CsvSource({
        "zero1, 1, 1, 2, 20",
        "zero2, 1, 2, 2, 4",
        "zero2 once a step, 1, 1, 2, 4",
        "fsdp, 2, 1, 2, 4",
        "fsdp in shards of 2, 1, 1, 4, 4"
    })
    void lossesAreThoseOfFp32(String mode, int tensor, int pipeline, int data, int steps) {
        Trace exact = run(layout(mode, tensor, pipeline, data), BF16, steps);
        Trace rounded = run(layout(mode + " bf16", tensor, pipeline, data), BF16, steps);
        assertEquals(exact.losses().getFirst(), rounded.losses().getFirst(), "before the first update");
        assertNotEquals(exact.norms().getFirst(), rounded.norms().getFirst(), "nothing was rounded");
        assertEquals(1, rounded.norms().getFirst() / exact.norms().getFirst(), NORM);
        for (int step = 0; step < steps; step++) {
            assertEquals(1, rounded.losses().get(step) / exact.losses().get(step), LOSS, "step " + (step + 1));
        }
    }

    @Test
    void changesNothingOnOneDataRank() {
        for (String mode : List.of("zero1", "fsdp")) {
            assertEquals(
                    run(layout(mode, 1, 1, 1), BF16, 2).losses(),
                    run(layout(mode + " bf16", 1, 1, 1), BF16, 2).losses());
        }
    }

    @Test
    void rejectsActivationsInFp32() {
        var failure =
                assertThrows(ConfigurationException.class, () -> run(layout("zero1 bf16", 1, 1, 2), Layouts.FP32, 1));
        assertTrue(
                failure.getMessage()
                        .startsWith("mesh.dataParallel.options.gradientType: BF16 is wrong with activations in FP32"),
                failure::getMessage);
    }

    private static Trace run(Layout layout, PrecisionStrategy precision, int steps) {
        return Layouts.run(
                Layouts.configuration(layout),
                steps,
                Layouts.strategies(layout, precision, Layouts.cpu(), request -> new StructuredTokens()));
    }

    private static Layout layout(String mode, int tensor, int pipeline, int data) {
        return new Layout(
                new Extents(tensor, 1, pipeline, data),
                new Ways("1f1b", "ring", mode, true, true),
                Recompute.NONE,
                1,
                true);
    }
}
