package io.hirundo.lib.transformer;

import io.hirundo.kernel.BiasKernels;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.Layer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Layers of the kinds in {@link LayerSpec} that compute on the rank's own tokens and channels. */
public final class PlainProviders {
    private PlainProviders() {}

    public static List<LayerProvider<?, ?>> all() {
        return List.of(
                local(
                        LayerSpec.Embedding.class,
                        (spec, scope) ->
                                new PlainEmbedding(scope.parameter(spec.table()), new EmbeddingScale(spec.scale()))),
                local(LayerSpec.Linear.class, (spec, scope) -> new PlainLinear(scope.matrix(spec.matrix()))),
                new Provider<>(LayerSpec.Bias.class, Set.of(), _ -> Set.of(BiasKernels.class), PlainBias::of),
                local(
                        LayerSpec.Norm.class,
                        (spec, scope) ->
                                new PlainNorm(scope.parameter(spec.weight()), spec.epsilon(), spec.weightOffset())),
                // The attention core communicates.
                new Provider<>(
                        LayerSpec.Attention.class, Set.of(Axis.CONTEXT), _ -> Set.of(), PlainProviders::attention),
                local(LayerSpec.GatedMlp.class, PlainGatedMlp::of),
                new Provider<>(
                        LayerSpec.LossHead.class,
                        Set.of(),
                        LogitCap::kernels,
                        (spec, scope) -> new PlainLossHead(
                                scope.matrix(spec.projection()), spec.vocabulary(), LogitCap.of(spec, scope))));
    }

    private static <L extends Layer, S extends LayerSpec<L>> Provider<L, S> local(
            Class<S> specType, BiFunction<S, LayerScope, L> factory) {
        return new Provider<>(specType, Set.of(), _ -> Set.of(), factory);
    }

    /** The heads of this rank. */
    private static PlainAttention attention(LayerSpec.Attention spec, LayerScope scope) {
        var heads = new Heads(
                Math.toIntExact(scope.extent(spec.query().getFirst())),
                Math.toIntExact(scope.extent(spec.keyValue().getFirst())),
                spec.heads().dim());
        return new PlainAttention(heads, RotaryTable.of(spec, scope), scope.attention(heads, spec.options()));
    }

    private record Provider<L extends Layer, S extends LayerSpec<L>>(
            Class<S> specType,
            Set<Axis> communicatesAlong,
            Function<S, Set<Class<?>>> families,
            BiFunction<S, LayerScope, ? extends L> factory)
            implements LayerProvider<L, S> {
        @Override
        public Set<Class<?>> kernels(S spec) {
            return families.apply(spec);
        }

        @Override
        public L create(S spec, LayerScope scope) {
            return factory.apply(spec, scope);
        }
    }
}
