package io.hirundo.trainer.internal.layer;

import io.hirundo.model.AttentionLayer;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.Initialization;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.model.ParameterPart;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.LocalLayers;
import io.hirundo.tensor.Shape;
import java.util.List;

/** Creates layers without tensor parallelism: they compute on one rank and use no collectives. */
public record PlainLayerFactory(LocalLayers local) implements LayerFactory {
  @Override
  public EmbeddingLayer embedding(LayerSpec.Embedding spec) {
    return new PlainEmbedding(
        local.declare(matrix(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization())));
  }

  @Override
  public LinearLayer linear(LayerSpec.Linear spec) {
    var parts =
        spec.parts().stream()
            .map(part -> ParameterPart.whole(part.path(), Shape.of(part.outputs(), spec.inputs())))
            .toList();
    return new PlainLinear(local.matrix(new ParameterSpec(spec.parameterName(), parts, spec.initialization())));
  }

  @Override
  public NormLayer norm(LayerSpec.Norm spec) {
    var parts = List.of(ParameterPart.whole(spec.path(), Shape.of(spec.hidden())));
    return local.norm(new ParameterSpec(spec.path(), parts, Initialization.ONES), spec.epsilon());
  }

  @Override
  public AttentionLayer attention(LayerSpec.Attention spec) {
    return local.attention(spec);
  }

  @Override
  public GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec) {
    return local.gatedMlp(spec);
  }

  @Override
  public LossHeadLayer lossHead(LayerSpec.LossHead spec) {
    var weight = matrix(spec.path(), spec.vocabulary(), spec.hidden(), spec.initialization());
    return new PlainLossHead(local.matrix(weight), spec.vocabulary());
  }

  private static ParameterSpec matrix(String path, long rows, long columns, Initialization initialization) {
    return new ParameterSpec(
        path, List.of(ParameterPart.whole(path, Shape.of(rows, columns))), initialization);
  }
}
