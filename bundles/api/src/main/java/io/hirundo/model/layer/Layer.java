package io.hirundo.model.layer;

import io.hirundo.model.parameter.Parameter;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A running layer. Layers save no activations; the block passes them in again for the backward. The caller owns and closes
 * returned tensors, and keeps ownership of tensors that it passes in.
 */
@ConsumerType
public interface Layer {
    /** The parameters of this layer on this rank. */
    List<Parameter> parameters();
}
