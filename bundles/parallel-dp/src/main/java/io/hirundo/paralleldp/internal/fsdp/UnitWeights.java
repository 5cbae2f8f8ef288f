package io.hirundo.paralleldp.internal.fsdp;

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

/**
 * The weights of a unit: a slice that stays, and the whole that comes and goes, some of it as codes where there are codings. In a
 * group of one rank the slice is the whole, and nothing moves.
 */
final class UnitWeights implements AutoCloseable {
  private final Device device;
  private final ProcessGroup group;
  private final BucketLayout layout;
  private final Tensor slice;
  /** How weights come; null where all come as they are. */
  private CodedLayout coding;

  private boolean isHere;
  /** What has come as it is; null where that is nothing. */
  private Tensor whole;
  private Pending gather;
  private CodedGather codes;
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

  /** From the next fetch on; null where all weights are to come as they are. */
  void encode(Queue queue, CodedLayout wanted) {
    changed(queue);
    coding = wanted;
  }

  /** The elements of a parameter, while they are in use; with its name for messages. */
  Tensor whole(BucketLayout.Place place, String name) {
    requireUse(name);
    if (isAlone() || coding == null) {
      return (isAlone() ? slice : whole).view(place.first(), Shape.of(place.elements()));
    }
    if (coding.isCoded(place)) {
      throw new IllegalStateException("the weights of " + name + " have come as codes, for its products alone");
    }
    return whole.view(coding.firstOfOthers(place), Shape.of(place.elements()));
  }

  /** A parameter that has come as codes, while they are in use. */
  Optional<CodedWeight> coded(BucketLayout.Place place, String name) {
    if (coding == null || !coding.isCoded(place)) {
      return Optional.empty();
    }
    requireUse(name);
    return Optional.of(codes.coded(place));
  }

  private void requireUse(String name) {
    if (uses == 0) {
      throw new IllegalStateException(
          "the weights of " + name + " are whole only while a block that has them works: call before(), then after()");
    }
  }

  /** Grows whenever values may have changed or moved. */
  long version() {
    return version;
  }

  /** Begins to fetch the other slices, where they are not here or on their way. */
  void fetch(Queue queue) {
    if (isAlone() || isHere) {
      return;
    }
    isHere = true;
    version++;
    if (coding == null) {
      whole = allocate(layout.elements());
      gather = group.allGather(queue, slice, whole);
      return;
    }
    long others = coding.otherElements();
    whole = others == 0 ? null : allocate(others);
    var ends =
        new CodedGather.Ends(slice, place -> whole.view(coding.firstOfOthers(place), Shape.of(place.elements())), false);
    codes = new CodedGather(device, queue, group, coding, ends);
  }

  private Tensor allocate(long elements) {
    return device.allocate(MemoryCategory.COMMUNICATION, Shape.of(elements), slice.dtype());
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
    if (uses == 0 && isHere) {
      awaitGather(queue);
      closeWhole();
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
    if (codes != null) {
      codes.finish(queue);
    }
  }

  @Override
  public void close() {
    closeWhole();
    slice.close();
  }

  private void closeWhole() {
    isHere = false;
    if (codes != null) {
      codes.close();
      codes = null;
    }
    if (whole != null) {
      whole.close();
      whole = null;
    }
  }

  private boolean isAlone() {
    return group.size() == 1;
  }
}
