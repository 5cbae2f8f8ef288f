package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Soft caps of logits by the hyperbolic tangent (Gemma 2, arXiv 2408.00118). */
@ConsumerType
public interface SoftCapKernels {
    /** {@code x = cap tanh(x / cap)}. */
    void cap(Queue queue, Tensor x, double cap);

    /**
     * Gradients of capped values become those of the values before: {@code dy *= 1 - (capped / cap)²}.
     *
     * @param capped as {@link #cap} left it
     */
    void gradient(Queue queue, Tensor capped, double cap, Tensor dy);
}
