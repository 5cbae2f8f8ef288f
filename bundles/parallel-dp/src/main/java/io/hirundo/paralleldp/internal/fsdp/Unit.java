package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.model.ParameterSpec;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import java.util.List;

/**
 * Parameters whose weights are fetched and whose gradients are added up together.
 *
 * @param specs of the parameters, in the order of the layout
 */
record Unit(List<ParameterSpec> specs, BucketLayout layout, ShardedWeights weights, UnitGradients gradients)
    implements AutoCloseable {
  @Override
  public void close() {
    weights.close();
    gradients.close();
  }
}
