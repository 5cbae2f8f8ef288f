package io.hirundo.mesh;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Collectives among the ranks of a group. All are asynchronous: they begin when the work handed to {@code after} so far
 * has ended, and operands belong to the collective until the result says so. Every rank makes the same collectives in the
 * same order with the same sizes; a rank that differs ends the world with an error that names it. Wholes are shards in rank
 * order along the outermost dimension. Sums are made in rank order, so that they are bitwise the same on every rank and in
 * every run; BF16 is summed in FP32 and rounded once. Belongs to the rank's thread.
 *
 * <p>{@link #send} and {@link #receive} are matched in order between each pair of ranks and each direction, apart from the
 * collectives: they may be posted in any order among different peers without waiting for each other.
 */
@ConsumerType
public interface ProcessGroup {
  /** This rank's place in the group. */
  int rank();

  /** Ranks of the world that are in the group, in the order of the group. */
  List<Integer> ranks();

  default int size() {
    return ranks().size();
  }

  Pending allReduce(Queue after, Tensor inPlace, Reduction reduction);

  /** Joins the shards; {@code shard} may be this rank's part of {@code whole}. */
  Pending allGather(Queue after, Tensor shard, Tensor whole);

  /** Sums the wholes; {@code shard} may be this rank's part of {@code whole}. */
  Pending reduceScatter(Queue after, Tensor whole, Tensor shard);

  Pending broadcast(Queue after, Tensor inPlace, int root);

  /** Part r of {@code from} goes to rank r, and lands in the part of {@code to} that belongs to the sender. */
  Pending allToAll(Queue after, Tensor from, Tensor to);

  Pending send(Queue after, Tensor tensor, int peer);

  Pending receive(Queue after, Tensor tensor, int peer);

  /** Blocks until every rank has come. */
  void barrier();
}
