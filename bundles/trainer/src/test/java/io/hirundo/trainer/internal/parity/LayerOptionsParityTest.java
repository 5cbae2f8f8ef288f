package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.layer.Recompute;
import io.hirundo.trainer.internal.fixture.BiasModel;
import io.hirundo.trainer.internal.parity.Layouts.Extents;
import io.hirundo.trainer.internal.parity.Layouts.Layout;
import io.hirundo.trainer.internal.parity.Layouts.Ways;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sliding window, soft caps, scales, norms of 1 + w, GeGLU and a scaled embedding, all at once, on every kind of layout. The window of 11
 * tokens is longer than the 8 of a context-parallel piece, and shorter than two.
 */
class LayerOptionsParityTest {
    private static final BiasModel MODEL = model(BiasModel.Options.all(11));

    private static final Layouts.Trace ALONE = Layouts.run(Layout.alone(false), MODEL);

    private static BiasModel model(BiasModel.Options options) {
        return new BiasModel(Layouts.VOCABULARY, 64, 48, new Heads(8, 4, 8), 2, Layouts.TOKENS, options);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 1, 1, 1, zero1, ring, false",
        "2, 1, 1, 1, zero1, ring, true",
        "1, 2, 1, 1, zero1, ring, false",
        "1, 2, 1, 1, zero1, all-gather, false",
        "1, 1, 2, 1, zero1, ring, false",
        "1, 1, 1, 2, fsdp, ring, false",
        "2, 2, 2, 2, zero2, ring, true"
    })
    void everyLayoutHasTheLossesOfOneRank(
            int tensor,
            int context,
            int pipeline,
            int data,
            String shards,
            String attention,
            boolean sequenceParallel) {
        var ways = new Ways("1f1b", attention, shards, sequenceParallel, true);
        var layout = new Layout(new Extents(tensor, context, pipeline, data), ways, Recompute.NONE, 2, false);

        LayoutParityTest.PARITY.check(ALONE, Layouts.run(layout, MODEL));
    }

    static Stream<BiasModel.Options> each() {
        var none = BiasModel.Options.NONE;
        var all = BiasModel.Options.all(11);
        return Stream.of(
                with(none, AttentionOptions.NONE.withWindow(11)),
                with(none, AttentionOptions.NONE.withSoftCap(0.05)),
                with(none, AttentionOptions.NONE.withScale(1.7)),
                new BiasModel.Options(AttentionOptions.NONE, 0, GateActivation.GELU_TANH, 1, OptionalDouble.empty()),
                new BiasModel.Options(AttentionOptions.NONE, 0, GateActivation.SILU, 5, OptionalDouble.empty()),
                new BiasModel.Options(AttentionOptions.NONE, 0, GateActivation.SILU, 1, all.logitCap()));
    }

    private static BiasModel.Options with(BiasModel.Options options, AttentionOptions attention) {
        return new BiasModel.Options(attention, 0, options.activation(), 1, OptionalDouble.empty());
    }

    /** Otherwise the parity above would not see that an option is ignored. */
    @ParameterizedTest
    @MethodSource("each")
    void everyOptionChangesTheLoss(BiasModel.Options options) {
        assertNotEquals(first(BiasModel.Options.NONE), first(options), 1e-8);
    }

    private static double first(BiasModel.Options options) {
        return Layouts.run(Layout.alone(false), 2, model(options)).losses().get(1);
    }
}
