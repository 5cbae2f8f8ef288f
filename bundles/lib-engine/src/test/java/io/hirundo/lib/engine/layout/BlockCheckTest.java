package io.hirundo.lib.engine.layout;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.lib.engine.provider.LayerProviderChoice;
import io.hirundo.lib.transformer.PlainProviders;
import io.hirundo.mesh.Axis;
import io.hirundo.model.Activation;
import io.hirundo.model.BlockSpec;
import io.hirundo.model.Dim;
import io.hirundo.model.Dims;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LayerSpec.LinearPart;
import io.hirundo.model.WeightSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.model.layer.LossTerm;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.parallel.Sharding;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What cannot be sharded correctly is rejected before the run. */
class BlockCheckTest {
    private static final int HIDDEN = 32;
    private static final Initialization NORMAL = Initialization.normal(1);
    private static final LayerSpec.Attention ATTENTION =
            new LayerSpec.Attention("attention", new Heads(8, 4, 4), List.of(1.0, 0.1), 8);

    private static final LayerSpec<?> QUERY =
            LayerSpec.Linear.fromResidual("q", List.of(new LinearPart("q.weight", ATTENTION.query())), HIDDEN, NORMAL);

    private static final Sharding HEADS_2 =
            new Sharding(Map.of(Dims.QUERY_HEADS, Set.of(Axis.TENSOR)), Map.of(Axis.TENSOR, 2));

    private static final Sharding HEADS_AND_SEQUENCES_2 = new Sharding(
            Map.of(Dims.QUERY_HEADS, Set.of(Axis.TENSOR), Dims.RESIDUAL_POSITIONS.name(), Set.of(Axis.TENSOR)),
            Map.of(Axis.TENSOR, 2));

    private static final Activation UNSPLIT = Activation.inside(List.of(new Dim("own-heads", 8)));

    private static void check(LayerSpec<?>... layers) {
        BlockCheck.checkDeclarations(new BlockSpec(0, "block", List.of(layers)), HIDDEN);
    }

    private static void rejected(String message, LayerSpec<?>... layers) {
        var rejection =
                assertThrows(ConfigurationException.class, () -> check(layers)).getMessage();
        assertTrue(rejection.startsWith(message), rejection);
    }

    private static LayerSpec<?> norm(Activation on) {
        return new LayerSpec.Norm("norm.weight", on, 1e-5);
    }

    @Test
    void acceptsNormsOnHeadsThatTheBlockMakes() {
        assertDoesNotThrow(
                () -> check(norm(Activation.residual(HIDDEN)), QUERY, norm(Activation.inside(ATTENTION.query()))));
    }

    /** The trainer would leave them out of the loss that it reports. */
    @Test
    void rejectsTermsOfTheLoss() {
        LayerSpec<?> sound = OwnKind.positionMixer(Dims.RESIDUAL_POSITIONS);
        assertDoesNotThrow(() -> check(sound));
        rejected("model: layer own adds [balance] to the loss (allowed: none)", new Balanced(sound));
    }

    private record Balanced(LayerSpec<?> of) implements LayerSpec<Layer> {
        @Override
        public String name() {
            return of.name();
        }

        @Override
        public List<Activation> inputs() {
            return of.inputs();
        }

        @Override
        public List<Activation> outputs() {
            return of.outputs();
        }

        @Override
        public Map<LossTerm, Activation> lossTerms() {
            return Map.of(
                    new LossTerm("balance", 0.01, LossTerm.Per.TOKEN),
                    of.inputs().getFirst());
        }
    }

    /** Each of these would have a gradient that is summed over the wrong ranks. */
    @Test
    void rejectsNormsOnHeadsThatAreDeclaredOtherwise() {
        String norm = "model: layer norm.weight reads ";
        rejected(norm + "[sequences, residual-positions] x [hidden 4], which no", QUERY, norm(Activation.residual(4)));
        var ofResidualRows = new Activation(Dims.RESIDUAL_ROWS, List.of(ATTENTION.query()));
        rejected(
                norm + "[sequences, residual-positions] x [query-heads 8, head 4], which no",
                QUERY,
                norm(ofResidualRows));
        rejected(
                norm + "[sequences, positions] x [head 4], which no",
                QUERY,
                norm(Activation.inside(List.of(Dims.head(4)))));
        var query = Activation.inside(ATTENTION.query());
        rejected(norm + "[sequences, positions] x [query-heads 8, head 4], which no", norm(query), QUERY);
    }

    /** A third party's layer kind from the residual stream to the residual stream. */
    private record OwnKind(List<Activation> internals, List<WeightSpec> weights, Set<Dim> mixes)
            implements LayerSpec<Layer> {
        /** Scales channels, and mixes heads as the norm of OLMo 2 does. */
        static OwnKind headMixer(Activation on) {
            var weight = new WeightSpec(
                    "own.weight", List.of(List.of(Dims.hidden(HIDDEN))), on, WeightSpec.Use.VECTOR, NORMAL);
            return new OwnKind(
                    List.of(), List.of(weight), Set.of(ATTENTION.query().getFirst()));
        }

        static OwnKind positionMixer(Dim positions, Activation... internals) {
            return new OwnKind(List.of(internals), List.of(), Set.of(positions));
        }

        @Override
        public String name() {
            return "own";
        }

        @Override
        public List<Activation> inputs() {
            return List.of(Activation.residual(HIDDEN));
        }

        @Override
        public List<Activation> outputs() {
            return inputs();
        }
    }

    /** Computes on each rank's own tokens and channels. */
    private record OwnProvider() implements LayerProvider<Layer, OwnKind> {
        @Override
        public Class<OwnKind> specType() {
            return OwnKind.class;
        }

        @Override
        public Layer create(OwnKind spec, LayerScope scope) {
            throw new AssertionError("the test runs no layers");
        }
    }

    private static final LayerProviderChoice PLAIN = new LayerProviderChoice(PlainProviders.all());

    private static final LayerProviderChoice OWN = new LayerProviderChoice(List.of(new OwnProvider()));

    @Test
    void rejectsWeightsThatAreAppliedToNoActivationOfTheirLayer() {
        assertDoesNotThrow(() -> check(OwnKind.headMixer(Activation.residual(HIDDEN))));
        rejected(
                "model: weight own.weight is applied to",
                OwnKind.headMixer(Activation.inside(List.of(Dims.hidden(HIDDEN)))));
    }

    /** Sequence parallelism would split these positions, but not by the name that the layer gives. */
    @Test
    void rejectsMixedPositionsThatTheLayerDoesNotHave() {
        assertDoesNotThrow(() -> check(OwnKind.positionMixer(Dims.RESIDUAL_POSITIONS)));
        assertDoesNotThrow(() -> check(OwnKind.positionMixer(Dims.POSITIONS, UNSPLIT)));
        rejected("model: layer own mixes positions, which is no row", OwnKind.positionMixer(Dims.POSITIONS));
        rejected(
                "model: layer own mixes tokens, which is no row",
                OwnKind.positionMixer(new Dim("tokens", Dim.PER_MICROBATCH)));
    }

    @Test
    void rejectsLayersThatNoProviderSplits() {
        var layer = OwnKind.headMixer(Activation.residual(HIDDEN));
        unsplit(PLAIN, layer, HEADS_2);
        assertEquals(
                "model: no provider makes layer own of kind OwnKind run; its architecture must implement LayerProviders",
                assertThrows(ConfigurationException.class, () -> PLAIN.check(layer, Sharding.NONE))
                        .getMessage());
        unsplit(PLAIN, QUERY, HEADS_2);
        assertDoesNotThrow(() -> PLAIN.check(QUERY, Sharding.NONE));
    }

    /** Before a device is opened: a rank's part would not be contiguous. */
    @Test
    void rejectsSplitsInsideTheRowsOfAWeight() {
        List<Dim> interleaved =
                List.of(ATTENTION.query().get(1), ATTENTION.query().get(0));
        var layer =
                LayerSpec.Linear.fromResidual("q", List.of(new LinearPart("q.weight", interleaved)), HIDDEN, NORMAL);
        assertDoesNotThrow(() -> Sharding.NONE.checkExtents(layer));
        assertDoesNotThrow(() -> HEADS_2.checkExtents(QUERY));
        assertEquals(
                "mesh.tensor is 2, but splits query-heads, an inner dimension of [head, query-heads] in q.weight; allowed is 1, or declare"
                        + " query-heads first",
                assertThrows(ConfigurationException.class, () -> HEADS_2.checkExtents(layer))
                        .getMessage());
    }

    /** Each rank would multiply its diagonal block only. */
    @Test
    void rejectsSplitInputsOfMatricesWhoseOutputsAreSplitTheSame() {
        for (List<Dim> rows : List.of(Dims.ROWS, Dims.RESIDUAL_ROWS)) {
            var heads = Activation.inside(ATTENTION.query());
            var square = new LayerSpec.Linear(
                    "square", List.of(new LinearPart("square.weight", ATTENTION.query())), heads, rows, NORMAL);
            assertDoesNotThrow(() -> PLAIN.check(square, Sharding.NONE));
            unsplit(PLAIN, square, HEADS_2);
            unsplit(PLAIN, square, HEADS_AND_SEQUENCES_2);
        }
    }

    /** Each rank would return a part of a sum. */
    @Test
    void rejectsSplitMatricesInsideOneLayer() {
        var inside = Activation.inside(ATTENTION.query());
        var hidden = List.of(Dims.hidden(HIDDEN));
        var up = new WeightSpec("own.up", List.of(ATTENTION.query(), hidden), inside, WeightSpec.Use.MATRIX, NORMAL);
        var down = new WeightSpec(
                "own.down",
                List.of(hidden, ATTENTION.query()),
                Activation.residual(HIDDEN),
                WeightSpec.Use.MATRIX,
                NORMAL);
        for (List<WeightSpec> weights : List.of(List.of(up), List.of(down), List.of(up, down))) {
            var fused = new OwnKind(List.of(inside), weights, Set.of());
            assertDoesNotThrow(() -> check(fused));
            assertDoesNotThrow(() -> OWN.check(fused, Sharding.NONE));
            unsplit(OWN, fused, HEADS_2);
            unsplit(OWN, fused, HEADS_AND_SEQUENCES_2);
        }
    }

    /** Attention in one layer, on heads that nobody splits: with sequence parallelism, each rank would attend to its own positions. */
    @Test
    void rejectsRowsThatAreSplitOtherwiseInsideALayer() {
        var attention = OwnKind.positionMixer(Dims.POSITIONS, UNSPLIT);
        assertDoesNotThrow(() -> OWN.check(attention, HEADS_2));
        unsplit(OWN, attention, HEADS_AND_SEQUENCES_2);
    }

    private static void unsplit(LayerProviderChoice providers, LayerSpec<?> layer, Sharding sharding) {
        var rejection = assertThrows(ConfigurationException.class, () -> providers.check(layer, sharding))
                .getMessage();
        assertEquals(
                "mesh.tensor is 2, but no provider splits layer " + layer.name() + " of kind "
                        + layer.getClass().getSimpleName() + " like that; set it to 1",
                rejection);
    }

    /** Otherwise replicas drift apart silently. */
    @Test
    void gradientsOfHeadNormsArePartialWithAndWithoutSequenceParallelism() {
        for (Sharding sharding : List.of(HEADS_2, HEADS_AND_SEQUENCES_2)) {
            for (List<Dim> heads : List.of(ATTENTION.query(), ATTENTION.keyValue())) {
                var weight = new LayerSpec.Norm("norm.weight", Activation.inside(heads), 1e-5).weight();
                assertEquals(Set.of(Axis.TENSOR), sharding.placement(weight).partial());
            }
        }
        var residual = new LayerSpec.Norm("norm.weight", Activation.residual(HIDDEN), 1e-5).weight();
        assertEquals(Set.of(Axis.TENSOR), HEADS_2.placement(residual).replicated());
        assertEquals(
                Set.of(Axis.TENSOR), HEADS_AND_SEQUENCES_2.placement(residual).partial());
    }
}
