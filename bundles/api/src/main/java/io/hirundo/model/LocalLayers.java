package io.hirundo.model;

import org.osgi.annotation.versioning.ProviderType;

/**
 * What a rank can build alone, which parallel strategies put together to layers that span ranks. Parameters are declared as
 * this rank holds them: shards with their place in the whole tensor, and with their {@link Replicas}.
 */
@ProviderType
public interface LocalLayers {
  /** The parameter; the same one for everybody who declares its name. */
  Parameter declare(ParameterSpec spec);

  /** A matrix of N rows (outputs) and K columns (inputs), with its products. */
  LocalMatrix matrix(ParameterSpec spec);

  NormLayer norm(ParameterSpec weight, double epsilon);

  /** Attention of the given heads over the sequences of the batch; context parallelism is its own business. */
  AttentionLayer attention(LayerSpec.Attention spec);

  GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec);
}
