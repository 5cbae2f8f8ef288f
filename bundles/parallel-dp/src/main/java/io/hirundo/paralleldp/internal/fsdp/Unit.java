package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.paralleldp.internal.buffer.ParameterBuffer;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.tensor.Tensor;

/** Parameters whose weights are fetched and whose gradients are added up together. */
record Unit(BucketLayout layout, ShardedWeights weights, UnitGradients gradients) implements ParameterBuffer {
    @Override
    public Tensor gradients(String name) {
        return gradients.whole(name);
    }

    @Override
    public Tensor gradientSlice() {
        return gradients.slice();
    }

    @Override
    public void close() {
        weights.close();
        gradients.close();
    }
}
