package io.hirundo.trainer.internal.parity;

import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.BiasModel;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Biases of column-parallel and row-parallel linear layers on every kind of layout. Eight ranks share four key/value heads, and the biases
 * of these.
 */
class BiasParityTest {
    private static final BiasModel MODEL =
            new BiasModel(Layouts.VOCABULARY, 64, 48, new Heads(8, 4, 8), 2, Layouts.TOKENS, BiasModel.Options.NONE);

    private static final Layouts.Trace ALONE = Layouts.run(Layout.alone(false), MODEL);

    @ParameterizedTest
    @CsvSource({
        "2, 1, 1, 1, zero1, false",
        "2, 1, 1, 1, zero1, true",
        "8, 1, 1, 1, zero1, false",
        "1, 2, 1, 1, zero1, false",
        "1, 1, 2, 1, zero1, false",
        "1, 1, 1, 2, zero1, false",
        "1, 1, 1, 2, zero2, false",
        "1, 1, 1, 2, fsdp, false",
        "2, 2, 2, 2, zero1, true",
        "2, 1, 1, 2, fsdp, false"
    })
    void everyLayoutHasTheLossesOfOneRank(
            int tensor, int context, int pipeline, int data, String shards, boolean sequenceParallel) {
        var ways = new Ways("1f1b", "ring", shards, sequenceParallel, true);
        var layout = new Layout(new Extents(tensor, context, pipeline, data), ways, Recompute.NONE, 2, false);

        LayoutParityTest.PARITY.check(ALONE, Layouts.run(layout, MODEL));
    }
}
