package io.hirundo.paralleltp.internal;

import io.hirundo.model.AttentionLayer;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LocalLayers;
import io.hirundo.model.LocalMatrix;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.Shape;
import java.util.List;
import java.util.function.Function;

/**
 * Puts layers together from this rank's share of each. What works on the residual stream is the same on every rank; with
 * sequence parallelism each sees its own tokens, so that gradients there are partial.
 */
record TensorLayers(LocalLayers local, Shares shares, ResidualStream stream, Overlap overlap, ChunkSize chunkSize)
    implements LayerFactory {
  @Override
  public EmbeddingLayer embedding(LayerSpec.Embedding spec) {
    var table = local.declare(vocabulary(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization()));
    return new VocabularyEmbedding(table, firstToken(table.spec()), stream);
  }

  @Override
  public LinearLayer linear(LayerSpec.Linear spec) {
    return switch (spec.split()) {
      case OUTPUTS ->
          new ColumnLinear(matrix(spec, part -> shares.rows(part, spec.inputs())), stream, overlap.bulk());
      case INPUTS -> new RowLinear(matrix(spec, part -> shares.columns(part, spec.inputs())), stream);
      case NONE ->
          new LocalLinear(matrix(spec, part -> everywhere(part.path(), Shape.of(part.outputs(), spec.inputs()))));
    };
  }

  @Override
  public NormLayer norm(LayerSpec.Norm spec) {
    var weight = everywhere(spec.path(), Shape.of(spec.hidden()));
    return local.norm(new ParameterSpec(spec.path(), List.of(weight), Initialization.ONES), spec.epsilon());
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return local.attention(
        new LayerSpec.Attention(
            spec.name(), shares.heads(spec.heads(), spec.name()), spec.inverseFrequencies(), spec.maximumPositions()));
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return local.gatedMlp(
        new LayerSpec.GatedMlp(spec.name(), shares.of(spec.inner(), "inner channels of " + spec.name())));
  }

  @Override
  public LossHeadLayer lossHead(LayerSpec.LossHead spec) {
    var weight = vocabulary(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization());
    return new VocabularyHead(
        local.matrix(weight), firstToken(weight), shares.group(), stream, overlap.bulk(), chunkSize);
  }

  private LocalMatrix matrix(LayerSpec.Linear spec, Function<LayerSpec.LinearPart, ParameterPart> share) {
    return local.matrix(
        new ParameterSpec(spec.parameterName(), spec.parts().stream().map(share).toList(), spec.initialization()));
  }

  private ParameterPart everywhere(String path, Shape shape) {
    return shares.everywhere(path, shape, stream.partialGradients());
  }

  private ParameterSpec vocabulary(String path, long tokens, long hidden, Initialization initialization) {
    long count = shares.of(tokens, "tokens of the vocabulary in " + path);
    var part = ParameterPart.whole(path, Shape.of(tokens, hidden)).narrow(0, shares.group().rank() * count, count);
    return new ParameterSpec(path, List.of(part), initialization);
  }

  private static int firstToken(ParameterSpec vocabulary) {
    return Math.toIntExact(vocabulary.parts().getFirst().offset().getFirst());
  }
}
