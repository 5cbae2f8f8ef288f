package io.hirundo.precisionreport.internal;

import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.train.RunInspector.LayerOperands;

/** A tensor in the requested type: itself, or a copy that closes with this. */
record Typed(Tensor tensor, boolean copied) implements AutoCloseable {
    static Typed of(LayerOperands layer, Tensor tensor, DType type) {
        if (tensor.dtype() == type) {
            return new Typed(tensor, false);
        }
        Tensor copy = layer.device().allocate(MemoryCategory.WORKSPACE, tensor.shape(), type);
        layer.device().kernels().elementwise().copy(layer.queue(), tensor, copy);
        return new Typed(copy, true);
    }

    @Override
    public void close() {
        if (copied) {
            tensor.close();
        }
    }
}
