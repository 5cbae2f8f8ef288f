package io.hirundo.devicemeta.internal.memory;

import io.hirundo.lib.tensor.device.AccountedTensor;
import io.hirundo.lib.tensor.device.OperandCheck;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** A tensor without data. */
public final class MetaTensor extends AccountedTensor<MetaMemory.Grant> {
    /** Checks operands as a computing device does. */
    public static final OperandCheck<MetaTensor> CHECK = new OperandCheck<>(MetaTensor.class);

    /** The tensor that owns the memory of a view. */
    public MetaTensor(MetaMemory.Grant grant, Shape shape, DType dtype) {
        super(grant, shape, dtype);
    }

    private MetaTensor(MetaMemory.Grant grant, long offsetBytes, Shape shape, DType dtype) {
        super(grant, offsetBytes, shape, dtype);
    }

    @Override
    protected Tensor viewAt(long offsetBytes, Shape window) {
        return new MetaTensor(grant(), offsetBytes, window, dtype());
    }

    /** Whether its address would be a multiple of so many bytes, given that allocations are aligned. */
    public boolean isAligned(long bytes) {
        return offsetBytes() % bytes == 0;
    }
}
