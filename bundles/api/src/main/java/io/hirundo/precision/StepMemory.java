package io.hirundo.precision;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * State that one layer's GEMMs carry from step to step, such as an amax history (delayed scaling). Ranks with shards of the same
 * layer, or with other tokens, hold the same state: each step's values are all-reduced with MAX. A checkpoint therefore stores it
 * once, for any layout. Closes with its {@link LinearMath} and is confined to the same thread.
 */
@ConsumerType
public interface StepMemory {
    /**
     * Identifies the state in a checkpoint key, for instance {@code amax-1024}. The same in every layout; state of another name is
     * not restored.
     */
    String name();

    /**
     * Values of the current step: FP32, one dimension, same length on all ranks; lent. The trainer all-reduces them with MAX in
     * place.
     */
    Tensor present();

    /** Ends a step: all ranks have computed their gradients, and {@link #present} enters the state. */
    void endStep(Queue queue);

    /**
     * Discards the values of gradients since the last {@link #endStep}, as after a parity check. Values of the prepared weight
     * stay.
     */
    default void discard() {}

    /** The complete state between two steps: FP32, with a shape that {@link #name} determines; lent until the next step. */
    Tensor state(Queue queue);

    /** Continues from a state that was copied into {@link #state}. Waits for the queue. */
    void restored(Queue queue);
}
