package io.hirundo.parallel;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * How data-parallel ranks shard or replicate weights and gradients. Strategy kind {@code data-parallel}. Used in every run, also
 * with a single rank.
 */
@ConsumerType
public interface DataParallel {
  /**
   * Allocates the weights, undefined until set through {@link ShardedParameters#owned}. The caller closes the result.
   *
   * @param blocks blocks of this rank in forward order, with the parameters of each
   * @param group ranks along the data and context axes
   */
  ShardedParameters bind(Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType);

  /**
   * Takes over parameters that another strategy has bound, without moving them. Does not change anything yet.
   *
   * @return applies the change, on the rank's thread between two steps; empty if this strategy needs another memory layout
   */
  default Optional<Runnable> takeOver(ShardedParameters present) {
    return Optional.empty();
  }
}
