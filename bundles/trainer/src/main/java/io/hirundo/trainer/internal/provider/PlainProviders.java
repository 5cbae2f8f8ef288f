package io.hirundo.trainer.internal.provider;

import io.hirundo.kernel.Heads;
import io.hirundo.mesh.Axis;
import io.hirundo.model.AttentionLayer;
import io.hirundo.model.Dims;
import io.hirundo.model.EmbeddingLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.LinearLayer;
import io.hirundo.model.LossHeadLayer;
import io.hirundo.model.NormLayer;
import io.hirundo.parallel.LayerProvider;
import io.hirundo.parallel.LayerScope;
import java.util.List;
import java.util.Set;

/** Layers of the kinds in {@link LayerSpec} that compute on the rank's own tokens and channels. */
public final class PlainProviders {
  private PlainProviders() {}

  public static List<LayerProvider<?, ?>> all() {
    return List.of(new Embeddings(), new Linears(), new Norms(), new Attentions(), new GatedMlps(), new LossHeads());
  }

  private record Embeddings() implements LayerProvider<EmbeddingLayer, LayerSpec.Embedding> {
    @Override
    public Class<LayerSpec.Embedding> specType() {
      return LayerSpec.Embedding.class;
    }

    @Override
    public EmbeddingLayer create(LayerSpec.Embedding spec, LayerScope scope) {
      return new PlainEmbedding(scope.parameter(spec.table()));
    }
  }

  private record Linears() implements LayerProvider<LinearLayer, LayerSpec.Linear> {
    @Override
    public Class<LayerSpec.Linear> specType() {
      return LayerSpec.Linear.class;
    }

    @Override
    public LinearLayer create(LayerSpec.Linear spec, LayerScope scope) {
      return new PlainLinear(scope.matrix(spec.matrix()));
    }
  }

  private record Norms() implements LayerProvider<NormLayer, LayerSpec.Norm> {
    @Override
    public Class<LayerSpec.Norm> specType() {
      return LayerSpec.Norm.class;
    }

    @Override
    public NormLayer create(LayerSpec.Norm spec, LayerScope scope) {
      return new PlainNorm(scope.parameter(spec.weight()), spec.epsilon());
    }
  }

  /** The heads of this rank; the attention core communicates along the context axis. */
  private record Attentions() implements LayerProvider<AttentionLayer, LayerSpec.Attention> {
    @Override
    public Class<LayerSpec.Attention> specType() {
      return LayerSpec.Attention.class;
    }

    @Override
    public Set<Axis> communicatesAlong() {
      return Set.of(Axis.CONTEXT);
    }

    @Override
    public AttentionLayer create(LayerSpec.Attention spec, LayerScope scope) {
      var heads =
          new Heads(
              Math.toIntExact(scope.extent(spec.query().getFirst())),
              Math.toIntExact(scope.extent(spec.keyValue().getFirst())),
              spec.heads().dim());
      return new PlainAttention(heads, RotaryTable.of(spec, scope), scope.attention(heads));
    }
  }

  private record GatedMlps() implements LayerProvider<GatedMlpLayer, LayerSpec.GatedMlp> {
    @Override
    public Class<LayerSpec.GatedMlp> specType() {
      return LayerSpec.GatedMlp.class;
    }

    @Override
    public GatedMlpLayer create(LayerSpec.GatedMlp spec, LayerScope scope) {
      return new PlainGatedMlp(scope.extent(Dims.inner(spec.inner())));
    }
  }

  private record LossHeads() implements LayerProvider<LossHeadLayer, LayerSpec.LossHead> {
    @Override
    public Class<LayerSpec.LossHead> specType() {
      return LayerSpec.LossHead.class;
    }

    @Override
    public LossHeadLayer create(LayerSpec.LossHead spec, LayerScope scope) {
      return new PlainLossHead(scope.matrix(spec.projection()), spec.vocabulary());
    }
  }
}
