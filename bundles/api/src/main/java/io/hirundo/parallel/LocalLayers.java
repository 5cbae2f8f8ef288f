package io.hirundo.parallel;

import io.hirundo.model.AttentionLayer;
import io.hirundo.model.GatedMlpLayer;
import io.hirundo.model.LayerSpec;
import io.hirundo.model.NormLayer;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A rank's local building blocks, from which parallel strategies assemble layers that span ranks. Parameters are declared as this
 * rank holds them: shards with their offset in the unsharded tensor, and their {@link io.hirundo.model.Replicas}.
 */
@ProviderType
public interface LocalLayers {
  /** Declares a parameter. Equal names return the same parameter. */
  Parameter declare(ParameterSpec spec);

  /** A matrix of N rows (outputs) and K columns (inputs), with its GEMMs. */
  LocalMatrix matrix(ParameterSpec spec);

  NormLayer norm(ParameterSpec weight, double epsilon);

  /** Attention of the given heads over the batch's sequences. Handles context parallelism internally. */
  AttentionLayer attention(LayerSpec.Attention spec);

  GatedMlpLayer gatedMlp(LayerSpec.GatedMlp spec);
}
