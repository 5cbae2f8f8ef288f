package io.hirundo.paralleldp.internal.layout;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.precision.CodedWeight;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * An all-gather of a layout's weights, as its {@link CodedLayout} says: one transfer of quantized values, and one of the other weights, if
 * there are any. The quantized values stay until this is closed.
 */
public final class CodedGather implements AutoCloseable {
  private final Device device;
  private final CodedLayout layout;
  private final Ends ends;
  private final int rank;
  private final Tensor codes;
  private final Tensor others;
  private final List<Pending> running = new ArrayList<>();

  /**
   * What a rank sends, and where it goes.
   *
   * @param slice this rank's, of the layout
   * @param othersInto memory for each parameter without a coding
   * @param sliceIsThere whether the slice is already in that memory, where it may have become newer than what was sent
   */
  public record Ends(Tensor slice, Function<BucketLayout.Place, Tensor> othersInto, boolean sliceIsThere) {}

  /** Begins. */
  public CodedGather(Device device, Queue queue, ProcessGroup group, CodedLayout layout, Ends ends) {
    this.device = device;
    this.layout = layout;
    this.ends = ends;
    this.rank = group.rank();
    long sliceFirst = layout.layout().sliceFirst(group.rank());
    codes = allocate(layout.codes(), layout.codings().codeType());
    try {
      others = layout.others().isEmpty() ? null : allocate(layout.others(), ends.slice.dtype());
    } catch (RuntimeException failure) {
      codes.close();
      throw failure;
    }
    layout
        .codes()
        .each(
            group.rank(),
            (piece, first) -> {
              String name = layout.name(piece.place());
              BucketLayout.Run run = piece.run();
              Tensor values = ends.slice.view(run.firstOfBucket() - sliceFirst, Shape.of(run.elements()));
              layout
                  .codings()
                  .of(name)
                  .encode(
                      queue, values, run.firstOfParameter(), layout.codings().magnitudes(name),
                      codes.view(first, Shape.of(run.elements())));
            });
    running.add(gather(queue, group, layout.codes(), codes));
    if (others == null) {
      return;
    }
    layout
        .others()
        .each(
            group.rank(),
            (piece, first) -> {
              BucketLayout.Run run = piece.run();
              Shape extents = Shape.of(run.elements());
              Tensor values = ends.slice.view(run.firstOfBucket() - sliceFirst, extents);
              device.kernels().elementwise().copy(queue, values, others.view(first, extents));
            });
    running.add(gather(queue, group, layout.others(), others));
  }

  private Tensor allocate(Packing packing, DType dtype) {
    return device.allocate(MemoryCategory.COMMUNICATION, Shape.of(packing.elements()), dtype);
  }

  private static Pending gather(Queue queue, ProcessGroup group, Packing packing, Tensor whole) {
    Shape shard = Shape.of(packing.shardElements());
    return group.allGather(queue, whole.view(group.rank() * packing.shardElements(), shard), whole);
  }

  /** Later work of the queue finds all that has come. */
  public void finish(Queue queue) {
    if (running.isEmpty()) {
      return;
    }
    running.forEach(pending -> queue.await(pending.event()));
    running.clear();
    if (others != null) {
      for (int sender = 0; sender < layout.layout().ranks(); sender++) {
        if (sender != rank || !ends.sliceIsThere) {
          layout.others().each(sender, (piece, first) -> putOther(queue, piece, first));
        }
      }
      others.close();
    }
  }

  private void putOther(Queue queue, Packing.Piece piece, long first) {
    BucketLayout.Run run = piece.run();
    Shape extents = Shape.of(run.elements());
    Tensor into = ends.othersInto.apply(piece.place()).view(run.firstOfParameter(), extents);
    device.kernels().elementwise().copy(queue, others.view(first, extents), into);
  }

  /** A weight that has come as codes. */
  public CodedWeight coded(BucketLayout.Place wanted) {
    var runs = new ArrayList<CodedWeight.Run>();
    layout
        .codes()
        .each(
            (piece, first) -> {
              if (piece.place().equals(wanted)) {
                Tensor ofRun = codes.view(first, Shape.of(piece.run().elements()));
                runs.add(new CodedWeight.Run(piece.run().firstOfParameter(), ofRun));
              }
            });
    return new CodedWeight(layout.codings().magnitudes(layout.name(wanted)), runs);
  }

  @Override
  public void close() {
    codes.close();
    if (others != null && !running.isEmpty()) {
      others.close();
    }
  }
}
