package io.hirundo.paralleldp.internal.layout;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * How the ranks of a group divide a buffer: each has one slice, in rank order.
 *
 * @param ranks of the group
 * @param elements of the buffer
 * @param firsts where the slice of each rank begins, and the end of the last; empty where all slices are equal
 */
public record Shards(int ranks, long elements, List<Long> firsts) {
  public Shards {
    firsts = List.copyOf(firsts);
  }

  /** Equal slices. {@code elements}: a multiple of the ranks. */
  static Shards even(int ranks, long elements) {
    return new Shards(ranks, elements, List.of());
  }

  /** Slices of these sizes. */
  static Shards of(List<Long> sizes) {
    var firsts = new ArrayList<Long>();
    long first = 0;
    for (long size : sizes) {
      firsts.add(first);
      first += size;
    }
    firsts.add(first);
    return new Shards(sizes.size(), first, firsts);
  }

  /** Slices of tensors with an element for each block, at whose multiples slices begin. */
  Shards inBlocks(int block) {
    return new Shards(ranks, elements / block, firsts.stream().map(first -> first / block).toList());
  }

  /** Where a rank's slice begins. */
  long first(int rank) {
    return isEven() ? rank * (elements / ranks) : firsts.get(rank);
  }

  /** Size of a rank's slice, perhaps 0. */
  long elements(int rank) {
    return first(rank + 1) - first(rank);
  }

  /** Whether all slices are equal. */
  boolean isEven() {
    return firsts.isEmpty();
  }

  /** A rank's slice of the buffer. */
  public Tensor slice(Tensor whole, int rank) {
    return whole.view(first(rank), Shape.of(elements(rank)));
  }

  /**
   * Sends each rank's slice to all. Slices of different sizes are broadcast, because an all-gather would pad all to the largest.
   *
   * @return in flight
   */
  public List<Pending> allGather(Queue queue, ProcessGroup group, Tensor whole) {
    if (isEven()) {
      return List.of(group.allGather(queue, slice(whole, group.rank()), whole));
    }
    var pendings = new ArrayList<Pending>();
    for (int owner = 0; owner < ranks; owner++) {
      if (elements(owner) > 0) {
        pendings.add(group.broadcast(queue, slice(whole, owner), owner));
      }
    }
    return List.copyOf(pendings);
  }

  /**
   * Adds up this rank's slice; the rest is undefined afterwards. Slices of different sizes come with an all-reduce of the buffer: twice the
   * bytes, no more memory, and the same sums.
   */
  public Pending reduceScatter(Queue queue, ProcessGroup group, Tensor whole) {
    return isEven()
        ? group.reduceScatter(queue, whole, slice(whole, group.rank()))
        : group.allReduce(queue, whole, Reduction.SUM);
  }
}
