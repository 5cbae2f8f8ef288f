package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;

/** Parameters whose weights are fetched and whose gradients are added up together. */
record Unit(BucketLayout layout, ShardedWeights weights, UnitGradients gradients) implements AutoCloseable {
  @Override
  public void close() {
    weights.close();
    gradients.close();
  }
}
