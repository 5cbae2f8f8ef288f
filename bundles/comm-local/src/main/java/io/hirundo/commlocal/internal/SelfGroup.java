package io.hirundo.commlocal.internal;

import io.hirundo.CommunicationException;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.List;

/** A group of one rank: whole and shard have the same elements, sums have one summand. Work is done in the caller's queue. */
final class SelfGroup implements ProcessGroup {
  private final LocalWorld world;
  private final String axes;
  private final ElementwiseKernels kernels;
  private long sequenceNumber;

  SelfGroup(LocalWorld world, String axes, ElementwiseKernels kernels) {
    this.world = world;
    this.axes = axes;
    this.kernels = kernels;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public List<Integer> ranks() {
    return List.of(world.rank());
  }

  @Override
  public Pending allToAll(Queue after, Tensor from, Tensor to) {
    return copied("all-to-all", after, from, to);
  }

  @Override
  public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
    return begun("all-reduce", after);
  }

  @Override
  public Pending allGather(Queue after, Tensor shard, Tensor whole) {
    return copied("all-gather", after, shard, whole);
  }

  @Override
  public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
    return copied("reduce-scatter", after, whole, shard);
  }

  @Override
  public Pending broadcast(Queue after, Tensor inPlace, int root) {
    if (root != 0) {
      throw new IllegalArgumentException("broadcast from root " + root + " of a group of 1");
    }
    return begun("broadcast", after);
  }

  @Override
  public Pending send(Queue after, Tensor tensor, int peer) {
    throw alone("send to", peer);
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    throw alone("receive from", peer);
  }

  @Override
  public void barrier() {
    world.requireAlive(next("barrier"));
  }

  private Pending copied(String collective, Queue after, Tensor from, Tensor to) {
    if (from.dtype() != to.dtype() || from.elements() != to.elements()) {
      throw new IllegalArgumentException(
          collective + " in a group of 1 from " + from.dtype() + " " + from.shape() + " to " + to.dtype() + " " + to.shape());
    }
    String name = next(collective);
    world.requireAlive(name);
    if (from != to) {
      kernels.copy(after, from, to);
    }
    return pending(after);
  }

  private Pending begun(String collective, Queue after) {
    String name = next(collective);
    world.requireAlive(name);
    return pending(after);
  }

  private Pending pending(Queue after) {
    return new QueuedPending(after.record());
  }

  private CommunicationException alone(String operation, int peer) {
    String name = next(operation + " peer " + peer);
    return new CommunicationException(
        "rank " + world.rank() + ": " + name + " is impossible in a group of 1, which has no peers");
  }

  /** Names the next collective and counts it. */
  private String next(String collective) {
    return collective + " number " + sequenceNumber++ + " along " + axes;
  }
}
