package io.hirundo.parallel;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * How the ranks that train the same parameters on different tokens share memory and gradients. Strategy kind {@code
 * data-parallel}. Asked for every run, also where a group has one rank.
 */
@ConsumerType
public interface DataParallel {
  /**
   * Takes memory for the weights, undefined until they are set through {@link ShardedParameters#owned}. The caller closes the
   * result.
   *
   * @param blocks of this rank in the order of the forward, with the parameters of each; the specs are those of {@code specs}
   * @param group ranks along the data and context axes
   */
  ShardedParameters bind(Device device, ProcessGroup group, List<List<ParameterSpec>> blocks, DType parameterType);

  /**
   * How to go on with parameters that another strategy has bound, where they are and as this strategy moves them. Changes
   * nothing yet.
   *
   * @return makes the change, on the rank's thread between two steps; empty where this strategy would lay the parameters out in
   *     another way
   */
  default Optional<Runnable> takeOver(ShardedParameters present) {
    return Optional.empty();
  }
}
