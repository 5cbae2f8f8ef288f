package io.hirundo.model;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A running layer. Layers keep no activations: the block hands them in again for the backward. Tensors returned are the
 * caller's to close; tensors handed in stay the caller's.
 */
@ConsumerType
public interface Layer {
  /** The parameters of this layer on this rank. */
  List<Parameter> parameters();
}
