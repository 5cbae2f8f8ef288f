package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.paralleldp.internal.buffer.ParameterBuffer;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Objects;

/** One bucket's memory: its weights, and a buffer of gradients, which is a single tensor. Padding is zero. */
final class Bucket implements ParameterBuffer {
  private final Device device;
  private final ProcessGroup group;
  private final BucketLayout layout;
  /** Of the gradients that update weights. */
  private final DType updateType;
  private final DType dtype;
  private final ShardedWeights weights;
  private final boolean lateGradients;
  /** Null before they are allocated, while they are released, and if they are late until a step first uses them. */
  private Tensor gradients;
  private boolean allocated;
  /** Zeroes gradients at their first use in a step; null before the first step. */
  private Queue onDemand;
  /** Null except while gradients are reduced in BF16. */
  private Tensor rounded;
  /** This rank's slice in the dtype of updates, after the reduction; null where it lies among the gradients, or is empty. */
  private Tensor reduced;

  /**
   * Takes no memory yet.
   *
   * @param masterType of the master weights
   * @param dtype of the gradients until they are reduced
   */
  Bucket(Device device, ProcessGroup group, BucketLayout layout, DType masterType, DType dtype, boolean lateGradients) {
    this.lateGradients = lateGradients;
    this.device = device;
    this.group = group;
    this.layout = layout;
    this.updateType = Parameter.updateType(masterType);
    this.dtype = dtype;
    this.weights = new ShardedWeights(device, group, layout, masterType, true);
  }

  @Override
  public BucketLayout layout() {
    return layout;
  }

  @Override
  public ShardedWeights weights() {
    return weights;
  }

  @Override
  public Tensor gradients(String name) {
    return gradients();
  }

  @Override
  public Tensor gradientSlice() {
    return reduced == null ? slice(gradients()) : reduced;
  }

  private Tensor gradients() {
    requireAllocated();
    if (gradients == null) {
      allocate();
      device.kernels().elementwise().fill(Objects.requireNonNull(onDemand, "gradients are used before zeroGradients()"), gradients, 0);
    }
    return gradients;
  }

  private void zeroPadding(Queue queue) {
    long padding = layout.elements() - layout.usedElements();
    if (padding > 0) {
      device.kernels().elementwise().fill(queue, gradients.view(layout.usedElements(), Shape.of(padding)), 0);
    }
  }

  private void requireAllocated() {
    if (!allocated) {
      throw new IllegalStateException("this model has no gradients: they were not allocated");
    }
  }

  private void allocate() {
    gradients = device.allocate(MemoryCategory.GRADIENTS, Shape.of(layout.elements()), dtype);
  }

  /**
   * Takes memory for the gradients, which are undefined. Late ones wait for a step: memory taken now would part what the first step
   * allocates, so that activations and gradients of large matrices fit together worse.
   */
  void allocateGradients(Queue queue) {
    if (gradients != null) {
      throw new IllegalStateException("the gradients are there already");
    }
    allocated = true;
    if (!lateGradients) {
      allocate();
      zeroPadding(queue);
    }
    if (dtype != updateType && layout.sliceElements(group.rank()) > 0) {
      reduced = device.allocate(MemoryCategory.GRADIENTS, Shape.of(layout.sliceElements(group.rank())), updateType);
    }
  }

  /** Begins a step. Late gradients are released, and allocated and zeroed on this queue when they are used next. */
  void zeroGradients(Queue queue) {
    requireAllocated();
    onDemand = queue;
    if (lateGradients) {
      releaseGradients();
      return;
    }
    if (gradients == null) {
      allocate();
    }
    device.kernels().elementwise().fill(queue, gradients, 0);
  }

  void releaseGradients() {
    if (gradients != null) {
      gradients.close();
      gradients = null;
    }
  }

  /** Adds up this rank's slice of the gradients; the rest is undefined from now on. In BF16 {@link #finishReduction} must follow. */
  Pending reduceScatterGradients(Queue queue, boolean inBf16) {
    if (!inBf16 || dtype == DType.BF16) {
      return layout.shards().reduceScatter(queue, group, gradients());
    }
    rounded = device.allocate(MemoryCategory.COMMUNICATION, gradients().shape(), DType.BF16);
    device.kernels().elementwise().copy(queue, gradients(), rounded);
    return layout.shards().reduceScatter(queue, group, rounded);
  }

  /** Takes sums in another dtype over, which are there for later work of the queue. */
  void finishReduction(Queue queue) {
    if (reduced != null) {
      device.kernels().elementwise().copy(queue, slice(gradients()), reduced);
    }
    if (rounded != null) {
      device.kernels().elementwise().copy(queue, slice(rounded), slice(gradients()));
      rounded.close();
      rounded = null;
    }
  }

  private Tensor slice(Tensor whole) {
    return layout.shards().slice(whole, group.rank());
  }

  @Override
  public void close() {
    weights.close();
    if (rounded != null) {
      rounded.close();
    }
    if (reduced != null) {
      reduced.close();
    }
    if (gradients != null) {
      gradients.close();
    }
  }
}
