package io.hirundo.model;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Creates running layers from declared ones. Precision and parallel strategies work here: whatever the layers do inside, they
 * compute what unsharded layers compute.
 */
@ProviderType
public interface LayerFactory {
  EmbeddingLayer embedding(LayerSpec.Embedding spec);

  LinearLayer linear(LayerSpec.Linear spec);

  NormLayer norm(LayerSpec.Norm spec);

  AttentionLayer attention(LayerSpec.Attention spec);

  GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec);

  LossHeadLayer lossHead(LayerSpec.LossHead spec);
}
