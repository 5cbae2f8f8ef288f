package io.hirundo.modelllama.internal;

import io.hirundo.model.layer.Saved;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rejects unknown names and names used twice. */
final class MapSaved implements Saved {
    final Map<String, Tensor> tensors = new LinkedHashMap<>();

    @Override
    public void put(String name, Tensor tensor) {
        if (tensors.putIfAbsent(name, tensor) != null) {
            throw new AssertionError(name + " is saved twice");
        }
    }

    @Override
    public Tensor get(String name) {
        Tensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new AssertionError(name + " is not saved, but " + tensors.keySet());
        }
        return tensor;
    }

    @Override
    public boolean has(String name) {
        return tensors.containsKey(name);
    }

    @Override
    public void drop(String name) {
        get(name).close();
        tensors.remove(name);
    }

    @Override
    public void close() {
        tensors.values().forEach(Tensor::close);
        tensors.clear();
    }
}
