package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Activation of the gate times up, between the gate-up projection and the down projection. */
@ConsumerType
public interface GatedMlpLayer extends Layer {
    Tensor forward(StepContext context, Tensor gateUpT2F);

    /** Returns the gradient of {@code gateUpT2F}. */
    Tensor backwardInput(StepContext context, Tensor dyTF, Tensor gateUpT2F);
}
