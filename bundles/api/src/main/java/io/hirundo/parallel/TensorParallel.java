package io.hirundo.parallel;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.LocalLayers;
import io.hirundo.model.ModelSpec;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Splits every matrix over the ranks of the tensor axis (Shoeybi et al. 2019, arXiv 1909.08053). Strategy kind {@code
 * tensor-parallel}. Asked only where that axis has more than one rank.
 */
@ConsumerType
public interface TensorParallel {
  /**
   * Looks at a model before any device is opened.
   *
   * @throws io.hirundo.ConfigurationException when a layer cannot be shared out among so many ranks; it names the setting and
   *     what is allowed
   */
  void check(ModelSpec model, int ranks);

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
   * @return refuses, as {@link #check} does, to make a layer that cannot be shared out
   */
  LayerFactory layers(LocalLayers local, ProcessGroup group);
}
