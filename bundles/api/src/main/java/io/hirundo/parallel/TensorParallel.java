package io.hirundo.parallel;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LocalLayers;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Splits every matrix over the ranks of the tensor axis (Shoeybi et al. 2019, arXiv 1909.08053). Strategy kind {@code
 * tensor-parallel}. Asked only where that axis has more than one rank.
 */
@ConsumerType
public interface TensorParallel {
  /**
   * Rows of the residual stream, between blocks, that each of the ranks holds.
   *
   * @param tokens of a microbatch, on all ranks of the group together
   * @throws io.hirundo.ConfigurationException when they cannot be shared out
   */
  long residualTokens(long tokens, int ranks);

  /**
   * Makes the layers of a model.
   *
   * @param local what this rank builds by itself
   * @param group the ranks of the tensor axis
   * @return layers that throw a {@link io.hirundo.ConfigurationException} when they are made from something that cannot be
   *     split, which names the setting and what is allowed
   */
  LayerFactory layers(LocalLayers local, ProcessGroup group);
}
