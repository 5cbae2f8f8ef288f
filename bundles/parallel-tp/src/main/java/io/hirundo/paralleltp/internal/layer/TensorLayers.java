package io.hirundo.paralleltp.internal.layer;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.LocalLayers;
import io.hirundo.paralleltp.internal.residual.Overlap;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.tensor.Shape;
import java.util.List;

/**
 * Puts layers together from this rank's share of each. What works on the residual stream is the same on every rank; with
 * sequence parallelism each sees its own tokens, so that gradients there are partial.
 */
public record TensorLayers(
    LocalLayers local,
    ShardLayout layout,
    ProcessGroup group,
    ResidualStream stream,
    Overlap overlap,
    boolean packs,
    ChunkSize chunkSize)
    implements LayerFactory {
  @Override
  public EmbeddingLayer embedding(LayerSpec.Embedding spec) {
    var table = local.declare(vocabulary(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization()));
    return new VocabularyEmbedding(table, firstToken(table.spec()), stream);
  }

  @Override
  public LinearLayer linear(LayerSpec.Linear spec) {
    var parts = layout.matrix(spec, stream.partialGradients());
    var weight = local.matrix(new ParameterSpec(spec.parameterName(), parts, spec.initialization()));
    return switch (spec.split()) {
      case OUTPUTS -> new ColumnLinear(new GatheredMatrix(weight, stream, packs), overlap.bulk());
      case INPUTS -> new RowLinear(new GatheredMatrix(weight, stream, packs));
      case NONE -> new LocalLinear(weight);
    };
  }

  @Override
  public NormLayer norm(LayerSpec.Norm spec) {
    var weight = layout.everywhere(spec.path(), Shape.of(spec.hidden()), stream.partialGradients());
    return local.norm(new ParameterSpec(spec.path(), List.of(weight), Initialization.ONES), spec.epsilon());
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return local.attention(
        new LayerSpec.Attention(
            spec.name(), layout.heads(spec.heads(), spec.name()), spec.inverseFrequencies(), spec.maximumPositions()));
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return local.gatedMlp(new LayerSpec.GatedMlp(spec.name(), layout.inner(spec)));
  }

  @Override
  public LossHeadLayer lossHead(LayerSpec.LossHead spec) {
    var weight = vocabulary(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization());
    return new VocabularyHead(local.matrix(weight), firstToken(weight), group, stream, overlap.bulk(), chunkSize);
  }

  private ParameterSpec vocabulary(String path, long tokens, long hidden, Initialization initialization) {
    return new ParameterSpec(path, List.of(layout.vocabulary(path, tokens, hidden)), initialization);
  }

  private static int firstToken(ParameterSpec vocabulary) {
    return Math.toIntExact(vocabulary.parts().getFirst().offset().getFirst());
  }
}
