package io.hirundo.parallelcp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.Recompute;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** As much of a step as attention looks at. */
record TestContext(Device device, Queue queue, MicroBatch batch, DType activationType) implements StepContext {
    @Override
    public Recompute recompute() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Tensor lossSum() {
        throw new UnsupportedOperationException();
    }

    @Override
    public double gradientScale() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Tensor allocate(Shape shape) {
        return device.allocate(MemoryCategory.ACTIVATIONS, shape, activationType);
    }

    @Override
    public Tensor allocateStatistics(Shape shape) {
        return device.allocate(
                MemoryCategory.ACTIVATIONS, shape, activationType == DType.FP64 ? DType.FP64 : DType.FP32);
    }
}
