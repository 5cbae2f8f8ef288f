package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Bf16Factory;
import io.hirundo.precisionnative.internal.Bf16Options;
import io.hirundo.trainer.internal.fixture.WholeMatrices;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Who owns which elements changes no bit of an optimizer that works by elements. Without clipping: the norm of gradients is added up rank by
 * rank, so its last bits depend on the owners.
 */
class WholeMatricesParityTest {
    private static final int STEPS = 5;

    @ParameterizedTest
    @CsvSource({
        "fp32, zero1, 1, 1, 4",
        "fp32, zero2, 1, 2, 3",
        "fp32, fsdp, 1, 1, 4",
        "bf16, zero1, 2, 1, 2",
        "bf16, fsdp, 1, 2, 2"
    })
    void ownersOfMatricesTrainAsOwnersOfElementsDo(String precision, String mode, int tensor, int pipeline, int data) {
        PrecisionStrategy strategy =
                precision.equals("bf16") ? new Bf16Factory().create(new Bf16Options()) : Layouts.FP32;
        var ways = new Layouts.Ways("1f1b", "ring", mode, true, true);
        int samples = data == 3 ? 2 : 8 / data;
        var layout = new Layout(new Layouts.Extents(tensor, 1, pipeline, data), ways, Recompute.NONE, 1, true);
        RunConfiguration configuration = Layouts.withoutClipping(Layouts.configuration(layout), samples * data);
        Strategies elements = Layouts.strategies(layout, strategy, Layouts.cpu(), request -> new StructuredTokens());
        Trace expected = Layouts.run(configuration, STEPS, elements);
        Trace found = Layouts.run(configuration, STEPS, WholeMatrices.in(elements));
        assertEquals(expected.losses(), found.losses());
        expected.gradients()
                .forEach((name, values) ->
                        assertArrayEquals(values, found.gradients().get(name), name));
        expected.weights()
                .forEach((name, values) ->
                        assertArrayEquals(values, found.weights().get(name), name));
    }
}
