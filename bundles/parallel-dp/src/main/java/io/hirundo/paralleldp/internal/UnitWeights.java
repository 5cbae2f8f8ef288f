package io.hirundo.paralleldp.internal;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * The weights of a unit: a slice that stays, and the whole that comes and goes. In a group of one rank the slice is the whole,
 * and nothing moves.
 */
final class UnitWeights implements AutoCloseable {
  private final Device device;
  private final ProcessGroup group;
  private final BucketLayout layout;
  private final Tensor slice;
  private Tensor whole;
  private Pending gather;
  private int uses;
  private long version;

  /** Takes memory for the slice, zero for now. */
  UnitWeights(Device device, Queue queue, ProcessGroup group, BucketLayout layout, DType dtype) {
    this.device = device;
    this.group = group;
    this.layout = layout;
    this.slice = device.allocate(MemoryCategory.WEIGHTS, Shape.of(layout.sliceElements()), dtype);
    device.kernels().elementwise().fill(queue, slice, 0);
  }

  Tensor slice() {
    return slice;
  }

  /** The weights, while they are in use; with a parameter's name for messages. */
  Tensor whole(String name) {
    if (uses == 0) {
      throw new IllegalStateException(
          "the weights of " + name + " are whole only while a block that has them works: call before(), then after()");
    }
    return isAlone() ? slice : whole;
  }

  /** Grows whenever values may have changed or moved. */
  long version() {
    return version;
  }

  /** Begins to fetch the other slices, where they are not here or on their way. */
  void fetch(Queue queue) {
    if (!isAlone() && whole == null) {
      whole = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(layout.elements()), slice.dtype());
      gather = group.allGather(queue, slice, whole);
      version++;
    }
  }

  void acquire(Queue queue) {
    fetch(queue);
    awaitGather(queue);
    uses++;
  }

  void release() {
    uses--;
  }

  /** Gives the memory of the whole back, unless it is in use. */
  void forget(Queue queue) {
    if (uses == 0 && whole != null) {
      awaitGather(queue);
      whole.close();
      whole = null;
    }
  }

  void changed(Queue queue) {
    if (uses > 0) {
      throw new IllegalStateException("weights have changed while a block works with them");
    }
    forget(queue);
    version++;
  }

  void awaitGather(Queue queue) {
    if (gather != null) {
      Pending running = gather;
      gather = null;
      queue.await(running.event());
    }
  }

  @Override
  public void close() {
    if (whole != null) {
      whole.close();
    }
    slice.close();
  }

  private boolean isAlone() {
    return group.size() == 1;
  }
}
