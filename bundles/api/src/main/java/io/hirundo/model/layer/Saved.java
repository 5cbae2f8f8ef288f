package io.hirundo.model.layer;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** Saved activations of one block for one microbatch, by name. Owns its tensors. */
@ProviderType
public interface Saved extends AutoCloseable {
    /** Takes ownership. A name can be used once. */
    void put(String name, Tensor tensor);

    /** Returns the tensor and keeps ownership. */
    Tensor get(String name);

    boolean has(String name);

    /** Releases one tensor early. */
    void drop(String name);

    /** Releases all remaining tensors. */
    @Override
    void close();
}
