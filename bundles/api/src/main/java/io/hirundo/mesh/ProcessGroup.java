package io.hirundo.mesh;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Collectives among the ranks of a group. All are asynchronous: they begin when the work handed to {@code after} so far
 * has ended, and operands belong to the collective until the result says so. Every rank makes the same calls in the same
 * order with the same sizes. Wholes are shards in rank order along the outermost dimension.
 */
@ConsumerType
public interface ProcessGroup {
  /** This rank's place in the group. */
  int rank();

  int size();

  Pending allReduce(Queue after, Tensor inPlace, Reduction reduction);

  Pending allGather(Queue after, Tensor shard, Tensor whole);

  Pending reduceScatter(Queue after, Tensor whole, Tensor shard);

  Pending broadcast(Queue after, Tensor inPlace, int root);

  Pending send(Queue after, Tensor tensor, int peer);

  Pending receive(Queue after, Tensor tensor, int peer);

  void barrier();
}
