package io.hirundo.devicemeta.internal.memory;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** A tensor without data. Checks view bounds, use after close and double close like a real one. */
public final class MetaTensor implements Tensor {
    private final MetaMemory.Grant grant;
    private final boolean view;
    private final long offsetBytes;
    private final Shape shape;
    private final DType dtype;
    private final long elements;

    /** The tensor that owns the memory of a view. */
    public MetaTensor(MetaMemory.Grant grant, Shape shape, DType dtype) {
        this(grant, false, 0, shape, dtype);
    }

    private MetaTensor(MetaMemory.Grant grant, boolean view, long offsetBytes, Shape shape, DType dtype) {
        this.grant = grant;
        this.view = view;
        this.offsetBytes = offsetBytes;
        this.shape = shape;
        this.dtype = dtype;
        this.elements = shape.elements();
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public DType dtype() {
        return dtype;
    }

    @Override
    public long elements() {
        return elements;
    }

    @Override
    public long byteSize() {
        return Math.multiplyExact(elements, dtype.byteSize());
    }

    @Override
    public Tensor view(long elementOffset, Shape window) {
        requireOpen();
        if (elementOffset < 0 || elementOffset > elements() || window.elements() > elements() - elementOffset) {
            throw new IllegalArgumentException(
                    "a view " + window + " at element " + elementOffset + " leaves the tensor " + this);
        }
        return new MetaTensor(grant, true, offsetBytes + elementOffset * dtype.byteSize(), window, dtype);
    }

    /** Whether its address would be a multiple of so many bytes, given that allocations are aligned. */
    public boolean isAligned(long bytes) {
        return offsetBytes % bytes == 0;
    }

    @Override
    public void close() {
        if (!view) {
            requireOpen();
            grant.giveBack();
        }
    }

    void requireOpen() {
        if (grant.isReturned()) {
            throw new IllegalStateException("the tensor " + this + " was used after it was closed");
        }
    }

    /** For instance {@code [2048, 288] FP32}. */
    @Override
    public String toString() {
        return shape + " " + dtype;
    }
}
