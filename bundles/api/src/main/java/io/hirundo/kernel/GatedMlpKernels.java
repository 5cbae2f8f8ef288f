package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Gated MLPs (Shazeer 2020, arXiv 2002.05202): {@code y = activation(gate) up}. A row of the fused {@code 2F} is gate, then up. */
@ConsumerType
public interface GatedMlpKernels {
    /** Whether the kernels compute it. SiLU always; others are asked for when layers are created. */
    default boolean supports(GateActivation activation) {
        return activation == GateActivation.SILU;
    }

    void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF);

    /** {@code dGateUpT2F} may alias {@code gateUpT2F}. */
    void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F);

    /** SwiGLU. */
    default void forward(Queue queue, Tensor gateUpT2F, Tensor yTF) {
        forward(queue, GateActivation.SILU, gateUpT2F, yTF);
    }

    /** SwiGLU. */
    default void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
        backward(queue, GateActivation.SILU, dyTF, gateUpT2F, dGateUpT2F);
    }
}
