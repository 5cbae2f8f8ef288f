package io.hirundo.paralleltp.internal.layer;

import io.hirundo.lib.transformer.LogitCap;
import io.hirundo.mesh.Axis;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import io.hirundo.paralleltp.internal.residual.ResidualStreams;
import java.util.Set;

/** Loss heads whose vocabulary is split. */
public record LossHeadProvider(ResidualStreams streams, ChunkSize chunkSize)
        implements LayerProvider<LossHeadLayer, LayerSpec.LossHead> {
    @Override
    public Class<LayerSpec.LossHead> specType() {
        return LayerSpec.LossHead.class;
    }

    @Override
    public Set<Axis> communicatesAlong() {
        return Set.of(Axis.TENSOR);
    }

    @Override
    public Set<Class<?>> kernels(LayerSpec.LossHead spec) {
        return LogitCap.kernels(spec);
    }

    @Override
    public LossHeadLayer create(LayerSpec.LossHead spec, LayerScope scope) {
        var group = scope.group(Axis.TENSOR);
        var matrix = scope.matrix(spec.projection());
        int firstToken = VocabularyHead.firstToken(matrix.weight().spec());
        return new VocabularyHead(
                matrix,
                firstToken,
                group,
                streams.of(group),
                streams.overlap().bulk(),
                chunkSize,
                LogitCap.of(spec, scope));
    }
}
