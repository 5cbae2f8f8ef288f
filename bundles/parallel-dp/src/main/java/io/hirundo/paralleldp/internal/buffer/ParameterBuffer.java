package io.hirundo.paralleldp.internal.buffer;

import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.tensor.Tensor;

/** Parameters whose weights are gathered and whose gradients are reduced together: a bucket of {@code zero1}, a unit of {@code fsdp}. */
public interface ParameterBuffer extends AutoCloseable {
    BucketLayout layout();

    ShardedWeights weights();

    /**
     * The gradients of all its parameters, in the layout's order.
     *
     * @param name of the parameter whose gradient is wanted, for messages
     * @throws IllegalStateException if they are not in memory
     */
    Tensor gradients(String name);

    /**
     * This rank's slice of the gradients.
     *
     * @throws IllegalStateException if they were not allocated
     */
    Tensor gradientSlice();

    @Override
    void close();
}
