package io.hirundo.lib.engine.pipeline;

import io.hirundo.model.layer.Saved;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Saved activations of one block for one microbatch. */
public final class SavedTensors implements Saved {
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    @Override
    public void put(String name, Tensor tensor) {
        if (tensors.putIfAbsent(name, tensor) != null) {
            throw new IllegalStateException("activation " + name + " is saved twice");
        }
    }

    @Override
    public Tensor get(String name) {
        Tensor tensor = tensors.get(name);
        if (tensor == null) {
            throw new IllegalStateException("activation " + name + " is not saved; there are " + tensors.keySet());
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
