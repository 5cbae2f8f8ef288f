package io.hirundo.paralleltp.internal;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.hirundo.model.Saved;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** Activations of a block by name. */
final class TestSaved implements Saved {
  private final Map<String, Tensor> tensors = new HashMap<>();

  @Override
  public void put(String name, Tensor tensor) {
    assertNull(tensors.put(name, tensor), name);
  }

  @Override
  public Tensor get(String name) {
    return tensors.get(name);
  }

  @Override
  public boolean has(String name) {
    return tensors.containsKey(name);
  }

  @Override
  public void drop(String name) {
    tensors.remove(name).close();
  }

  @Override
  public void close() {
    tensors.values().forEach(Tensor::close);
    tensors.clear();
  }
}
