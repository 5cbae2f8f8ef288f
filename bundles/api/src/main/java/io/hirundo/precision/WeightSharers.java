package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** The ranks that hold shards of one layer's weight. They combine their amaxes into those of the unsharded weight. */
@FunctionalInterface
@ProviderType
public interface WeightSharers {
    /** The weight is not sharded. */
    WeightSharers NONE = (queue, magnitudes) -> {};

    /**
     * All-reduces amaxes with MAX. All ranks must call it at the same points. In a parity check on a single rank it does nothing.
     *
     * @param magnitudes FP32, same shape on all ranks
     */
    void agree(Queue queue, Tensor magnitudes);
}
