package io.hirundo.parallel;

import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.LayerFactory;
import io.hirundo.model.ModelSpec;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Shards every matrix over the ranks of the tensor axis (Shoeybi et al. 2019, arXiv 1909.08053). Strategy kind {@code
 * tensor-parallel}. Used only if that axis has more than one rank.
 */
@ConsumerType
public interface TensorParallel {
  /**
   * Checks a model before any device is opened.
   *
   * @throws io.hirundo.ConfigurationException if a layer cannot be sharded over so many ranks; names the setting and the allowed
   *     values
   */
  void check(ModelSpec model, int ranks);

  /**
   * Rows of the residual stream that each rank holds between blocks.
   *
   * @param tokens of a microbatch, over all ranks of the group
   * @throws io.hirundo.ConfigurationException if they cannot be split evenly
   */
  long residualTokens(long tokens, int ranks);

  /**
   * Creates the layer factory of this rank.
   *
   * @param local builds this rank's part of a layer
   * @param group the ranks of the tensor axis
   * @return a factory that rejects layers that cannot be sharded, as {@link #check} does
   */
  LayerFactory layers(LocalLayers local, ProcessGroup group);
}
