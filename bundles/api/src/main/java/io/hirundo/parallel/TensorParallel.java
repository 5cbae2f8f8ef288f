package io.hirundo.parallel;

import io.hirundo.mesh.Axis;
import java.util.List;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Shards matrices over the ranks of the tensor axis (Shoeybi et al. 2019, arXiv 1909.08053). Strategy kind {@code tensor-parallel}.
 * Used only if that axis has more than one rank.
 */
@ConsumerType
public interface TensorParallel extends LayerProviders {
    /** Names of the dimensions that the tensor axis splits; see {@code io.hirundo.model.Dims}. */
    Set<String> splits();

    /** Layers that communicate along {@link Axis#TENSOR}. */
    @Override
    List<LayerProvider<?, ?>> providers();

    /**
     * Rows of the residual stream that each rank holds between blocks.
     *
     * @param tokens of a microbatch, over all ranks of the group
     * @throws io.hirundo.ConfigurationException if they cannot be split evenly
     */
    long residualTokens(long tokens, int ranks);
}
