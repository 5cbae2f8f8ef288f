package io.hirundo.tensor;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A contiguous, row-major array on one device. That device's kernels read and write it; the host accesses its values only through
 * {@code io.hirundo.device.Transfer}.
 *
 * <p>Ownership: whoever allocated a tensor closes it, once. A view shares memory, owns nothing, and must not outlive its tensor;
 * closing a view does nothing. Not thread-safe; queues order access.
 */
@ConsumerType
public interface Tensor extends AutoCloseable {
    Shape shape();

    DType dtype();

    /**
     * A view of the same memory.
     *
     * @param elementOffset first element of the view
     * @param shape of the view; must fit after the offset
     */
    Tensor view(long elementOffset, Shape shape);

    /** Releases the memory to the device. Any later use is an error. */
    @Override
    void close();

    default long byteSize() {
        return shape().byteSize(dtype());
    }

    default long elements() {
        return shape().elements();
    }

    /** A view of the same elements in another shape. */
    default Tensor reshape(long... dims) {
        return view(0, Shape.of(dims));
    }

    /** A view of rows {@code [first, first + count)} of the outermost dimension. */
    default Tensor rows(long first, long count) {
        long rowElements = shape().dim(0) == 0 ? 0 : elements() / shape().dim(0);
        var dims = new java.util.ArrayList<>(shape().dims());
        dims.set(0, count);
        return view(first * rowElements, new Shape(dims));
    }
}
