package io.hirundo.parallel;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.ParameterSpec;
import io.hirundo.tensor.DType;
import java.util.List;
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
}
