package io.hirundo.paralleldp.internal.zero1;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.layout.CodedGather;
import io.hirundo.paralleldp.internal.layout.CodedLayout;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** One bucket's memory: a buffer of weights and one of gradients, each a single tensor. Padding is zero. */
final class Bucket implements AutoCloseable {
  private final Device device;
  private final ProcessGroup group;
  private final BucketLayout layout;
  private final Tensor weights;
  private Tensor gradients;
  /** How weights come; null where all come as they are. */
  private CodedLayout coding;

  private Pending gather;
  private CodedGather codes;

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

  /** From the next gather on; null where all weights are to come as they are. */
  void encode(CodedLayout wanted) {
    forgetCodes();
    coding = wanted;
  }

  /** Begins to fetch the slices of the weights from the ranks that own them. */
  void startGather(Queue queue) {
    forgetCodes();
    if (coding == null) {
      gather = group.allGather(queue, slice(weights), weights);
    } else {
      var ends =
          new CodedGather.Ends(slice(weights), place -> weights.view(place.first(), Shape.of(place.elements())), true);
      codes = new CodedGather(device, queue, group, coding, ends);
    }
  }

  /** Later work of the queue finds what has come. */
  void finishGather(Queue queue) {
    if (gather != null) {
      Pending running = gather;
      gather = null;
      queue.await(running.event());
    }
    if (codes != null) {
      codes.finish(queue);
    }
  }

  /** The elements of a parameter; with its name for messages. */
  Tensor whole(BucketLayout.Place place, String name) {
    if (coding != null && coding.isCoded(place)) {
      throw new IllegalStateException("the weights of " + name + " come as codes, for its products alone");
    }
    return weights.view(place.first(), Shape.of(place.elements()));
  }

  /** A parameter that has come as codes. */
  Optional<CodedWeight> coded(BucketLayout.Place place) {
    return codes != null && coding.isCoded(place) ? Optional.of(codes.coded(place)) : Optional.empty();
  }

  /** Gives the memory of the codes back: nobody reads them any more, and none are on their way. */
  void forgetCodes() {
    if (codes != null) {
      codes.close();
      codes = null;
    }
  }

  @Override
  public void close() {
    forgetCodes();
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
