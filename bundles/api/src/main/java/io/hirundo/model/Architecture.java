package io.hirundo.model;

import org.osgi.annotation.versioning.ConsumerType;

/** A model family with its sizes. Strategy kind {@code architecture}. */
@ConsumerType
public interface Architecture {
  ModelSpec describe();

  /** Builds one block of {@link #describe()} from the layers that the factory makes. */
  Block build(BlockSpec block, LayerFactory layers);
}
