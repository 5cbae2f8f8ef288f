package io.hirundo.model;

import org.osgi.annotation.versioning.ProviderType;

/**
 * Makes the running layers of declared ones. Precision and parallel strategies do their work here: a model gets layers
 * that behave like the plain ones, whatever they do inside.
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
