package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.Replaced;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Trace;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two runs of the same configuration give the same bits, in whatever order the threads of their ranks run. */
class RepeatabilityTest {
    private static final String EIGHT_BITS = " with moments in 8 bits";
    private static final int STEPS = 3;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "zero2",
                "zero1 bf16",
                "zero2 bf16",
                "zero2 once a step",
                "fsdp in shards of 2",
                "zero1" + EIGHT_BITS,
                "zero2" + EIGHT_BITS
            })
    void trainsTwiceWithTheSameBits(String mode) {
        Trace first = train(mode);
        Trace second = train(mode);
        assertEquals(first.losses(), second.losses());
        assertEquals(first.norms(), second.norms());
        first.weights()
                .forEach((path, values) ->
                        assertArrayEquals(values, second.weights().get(path), path));
    }

    private static Trace train(String mode) {
        var ways = new Ways("1f1b", "ring", mode.replace(EIGHT_BITS, ""), true, true);
        var layout = new Layout(new Extents(1, 1, 1, 4), ways, Recompute.NONE, 1, true);
        var strategies =
                Layouts.strategies(layout, PlanParityTest.BF16, Layouts.cpu(), request -> new StructuredTokens());
        return Layouts.run(
                Layouts.configuration(layout),
                STEPS,
                mode.endsWith(EIGHT_BITS) ? Replaced.eightBitMoments(strategies) : strategies);
    }
}
