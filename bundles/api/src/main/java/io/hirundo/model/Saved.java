package io.hirundo.model;

import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ProviderType;

/** The activations that one block keeps for one microbatch, by name. Owns what it holds. */
@ProviderType
public interface Saved extends AutoCloseable {
  /** Takes ownership. A name is used once. */
  void put(String name, Tensor tensor);

  /** Lends; the tensor stays here. */
  Tensor get(String name);

  boolean has(String name);

  /** Releases one tensor early. */
  void drop(String name);

  /** Releases all that is left. */
  @Override
  void close();
}
