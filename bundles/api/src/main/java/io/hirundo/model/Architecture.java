package io.hirundo.model;

import org.osgi.annotation.versioning.ConsumerType;

/** A model architecture with its sizes. Strategy kind {@code architecture}. */
@ConsumerType
public interface Architecture {
    ModelSpec describe();

    /** Builds one block of {@link #describe()} from layers that the factory creates. */
    Block build(BlockSpec block, LayerFactory layers);
}
