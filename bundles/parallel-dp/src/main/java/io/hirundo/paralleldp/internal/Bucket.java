package io.hirundo.paralleldp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/** One bucket's memory: a buffer of weights and one of gradients, each a single tensor. Padding is zero. */
final class Bucket implements AutoCloseable {
  private final Device device;
  private final ProcessGroup group;
  private final BucketLayout layout;
  private final Tensor weights;
  private Tensor gradients;

  /** Takes memory for the weights, which are undefined. */
  Bucket(Device device, Queue queue, ProcessGroup group, BucketLayout layout, DType dtype) {
    this.device = device;
    this.group = group;
    this.layout = layout;
    this.weights = withoutGarbage(queue, MemoryCategory.WEIGHTS, dtype);
  }

  BucketLayout layout() {
    return layout;
  }

  Tensor weights() {
    return weights;
  }

  Tensor gradients() {
    if (gradients == null) {
      throw new IllegalStateException("this model has no gradients: they were not allocated");
    }
    return gradients;
  }

  /** Takes memory for the gradients, which are undefined. */
  void allocateGradients(Queue queue) {
    if (gradients != null) {
      throw new IllegalStateException("the gradients are there already");
    }
    gradients = withoutGarbage(queue, MemoryCategory.GRADIENTS, weights.dtype());
  }

  void zeroGradients(Queue queue) {
    device.kernels().elementwise().fill(queue, gradients(), 0);
  }

  /** Adds up this rank's slice of the gradients; the rest is undefined from now on. */
  Pending reduceScatterGradients(Queue queue) {
    return group.reduceScatter(queue, gradients(), slice(gradients()));
  }

  /** Fetches the slices of the weights from the ranks that own them. */
  Pending allGatherWeights(Queue queue) {
    return group.allGather(queue, slice(weights), weights);
  }

  @Override
  public void close() {
    weights.close();
    if (gradients != null) {
      gradients.close();
    }
  }

  private Tensor slice(Tensor whole) {
    return whole.view(layout.sliceFirst(group.rank()), Shape.of(layout.sliceElements()));
  }

  private Tensor withoutGarbage(Queue queue, MemoryCategory category, DType dtype) {
    Tensor tensor = device.allocate(category, Shape.of(layout.elements()), dtype);
    long padding = layout.elements() - layout.usedElements();
    if (padding > 0) {
      try {
        device.kernels().elementwise().fill(queue, tensor.view(layout.usedElements(), Shape.of(padding)), 0);
      } catch (RuntimeException e) {
        tensor.close();
        throw e;
      }
    }
    return tensor;
  }
}
