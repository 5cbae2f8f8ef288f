package io.hirundo.lib.tensor.device;

import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * A tensor in memory that a device accounts for. Checks view bounds, use after close and double close.
 *
 * @param <G> the memory
 */
public abstract class AccountedTensor<G extends AccountedTensor.Grant> implements Tensor {
    /** Memory that a device granted to one tensor and its views. */
    public interface Grant {
        /** Whether it was given back. */
        boolean isReturned();

        /** @throws IllegalStateException if it was given back before */
        void giveBack();
    }

    private final G grant;
    private final boolean isView;
    private final long offsetBytes;
    private final Shape shape;
    private final DType dtype;
    private final long elements;

    /** The owner of granted memory. */
    protected AccountedTensor(G grant, Shape shape, DType dtype) {
        this(grant, false, 0, shape, dtype);
    }

    /** A view of another tensor's memory. */
    protected AccountedTensor(G grant, long offsetBytes, Shape shape, DType dtype) {
        this(grant, true, offsetBytes, shape, dtype);
    }

    private AccountedTensor(G grant, boolean isView, long offsetBytes, Shape shape, DType dtype) {
        this.grant = grant;
        this.isView = isView;
        this.offsetBytes = offsetBytes;
        this.shape = shape;
        this.dtype = dtype;
        this.elements = shape.elements();
    }

    /** A view of the same memory, from this byte of it on. */
    protected abstract Tensor viewAt(long offsetBytes, Shape window);

    protected final G grant() {
        return grant;
    }

    /** Of the first element in the granted memory. */
    protected final long offsetBytes() {
        return offsetBytes;
    }

    @Override
    public final Shape shape() {
        return shape;
    }

    @Override
    public final DType dtype() {
        return dtype;
    }

    @Override
    public final long elements() {
        return elements;
    }

    @Override
    public final long byteSize() {
        return Math.multiplyExact(elements, dtype.byteSize());
    }

    @Override
    public final Tensor view(long elementOffset, Shape window) {
        requireOpen();
        if (elementOffset < 0 || elementOffset > elements || window.elements() > elements - elementOffset) {
            throw new IllegalArgumentException(
                    "a view " + window + " at element " + elementOffset + " leaves the tensor " + this);
        }
        return viewAt(offsetBytes + elementOffset * dtype.byteSize(), window);
    }

    @Override
    public final void close() {
        if (!isView) {
            requireOpen();
            grant.giveBack();
        }
    }

    /** Whether the memory is gone: closed, or the tensor that it is a view of, or the device. */
    public final boolean isClosed() {
        return grant.isReturned();
    }

    /** @throws IllegalStateException if the memory is gone */
    protected final void requireOpen() {
        if (isClosed()) {
            throw new IllegalStateException("the tensor " + this + " was used after it was closed");
        }
    }

    /** For example {@code [2048, 288] FP32}. */
    @Override
    public String toString() {
        return shape + " " + dtype;
    }
}
