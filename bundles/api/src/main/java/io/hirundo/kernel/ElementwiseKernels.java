package io.hirundo.kernel;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/** Copies, sums and maxima. */
@ConsumerType
public interface ElementwiseKernels {
  void fill(Queue queue, Tensor x, double value);

  /** {@code into += x}; a BF16 {@code x} may be added to an FP32 {@code into}. */
  void add(Queue queue, Tensor x, Tensor into);

  /** {@code into = max(into, x)}; of two where one is not a number, that one. */
  void maximum(Queue queue, Tensor x, Tensor into);

  /** Copies as many elements, converting between floating types, rounding to nearest even. */
  void copy(Queue queue, Tensor from, Tensor to);

  /** {@code x *= factor}. */
  void scale(Queue queue, Tensor x, double factor);
}
