package io.hirundo.testkit.model;

import io.hirundo.model.layer.Saved;
import io.hirundo.tensor.Tensor;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Saved activations of a block. */
final class NamedTensors implements Saved {
    private final Map<String, Tensor> tensors = new TreeMap<>();

    @Override
    public void put(String name, Tensor tensor) {
        if (tensors.put(name, tensor) != null) {
            throw new AssertionError("a block saves two activations as " + name);
        }
    }

    @Override
    public Tensor get(String name) {
        return require(name, tensors.get(name));
    }

    private Tensor require(String name, Tensor tensor) {
        if (tensor == null) {
            throw new AssertionError("a block reads the activation " + name + ", but saved " + tensors.keySet());
        }
        return tensor;
    }

    @Override
    public boolean has(String name) {
        return tensors.containsKey(name);
    }

    @Override
    public void drop(String name) {
        require(name, tensors.remove(name)).close();
    }

    Set<String> names() {
        return tensors.keySet();
    }

    @Override
    public void close() {
        tensors.values().forEach(Tensor::close);
        tensors.clear();
    }
}
