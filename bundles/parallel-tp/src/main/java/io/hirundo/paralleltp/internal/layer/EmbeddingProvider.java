package io.hirundo.paralleltp.internal.layer;

import io.hirundo.lib.transformer.EmbeddingScale;
import io.hirundo.mesh.Axis;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.EmbeddingLayer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.paralleltp.internal.residual.ResidualStreams;
import java.util.Set;

/** Embeddings whose vocabulary is split. */
public record EmbeddingProvider(ResidualStreams streams) implements LayerProvider<EmbeddingLayer, LayerSpec.Embedding> {
    @Override
    public Class<LayerSpec.Embedding> specType() {
        return LayerSpec.Embedding.class;
    }

    @Override
    public Set<Axis> communicatesAlong() {
        return Set.of(Axis.TENSOR);
    }

    @Override
    public EmbeddingLayer create(LayerSpec.Embedding spec, LayerScope scope) {
        var table = scope.parameter(spec.table());
        return new VocabularyEmbedding(
                table,
                VocabularyHead.firstToken(table.spec()),
                streams.of(scope.group(Axis.TENSOR)),
                new EmbeddingScale(spec.scale()));
    }
}
