package io.hirundo.tensor;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A contiguous, row-major array on one device. Kernels of that device read and write it; the host reaches its values
 * through {@code io.hirundo.device.Transfer} only.
 *
 * <p>Ownership: whoever allocated a tensor closes it, once. A view shares memory, owns nothing, and must not outlive the
 * tensor it came from; closing a view does nothing. Not thread-safe: ordering is the queue's business.
 */
@ConsumerType
public interface Tensor extends AutoCloseable {
  Shape shape();

  DType dtype();

  /**
   * A window on the same memory.
   *
   * @param elementOffset where the window begins, in elements
   * @param shape extents of the window; must fit behind the offset
   */
  Tensor view(long elementOffset, Shape shape);

  /** Releases the memory to the device. Later use is an error. */
  @Override
  void close();

  default long byteSize() {
    return shape().byteSize(dtype());
  }

  default long elements() {
    return shape().elements();
  }

  /** The same elements under another shape. */
  default Tensor reshape(long... dims) {
    return view(0, Shape.of(dims));
  }

  /** Rows {@code [first, first + count)} of the outermost dimension. */
  default Tensor rows(long first, long count) {
    long rowElements = shape().dim(0) == 0 ? 0 : elements() / shape().dim(0);
    var dims = new java.util.ArrayList<>(shape().dims());
    dims.set(0, count);
    return view(first * rowElements, new Shape(dims));
  }
}
