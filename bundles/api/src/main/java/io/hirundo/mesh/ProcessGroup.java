package io.hirundo.mesh;

import io.hirundo.device.Queue;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Collectives among the ranks of a process group.
 * <ul>
 * <li>All are asynchronous. They begin when the work submitted to {@code after} has ended; the collective owns its operands until
 * its result completes.
 * <li>Every rank must call the same collectives in the same order with the same sizes. A rank that differs ends the world with an
 * error that names it.
 * <li>Full tensors are the shards in rank order, along the outermost dimension.
 * <li>Sums are in rank order: bitwise the same on every rank and in every run. BF16 is summed in FP32 and rounded once.
 * <li>Confined to the rank's thread.
 * </ul>
 *
 * <p>{@link #send} and {@link #receive} match in order for each pair of ranks and direction, independent of the collectives.
 * Transfers with different peers may be posted in any order and do not wait for each other.
 */
@ConsumerType
public interface ProcessGroup {
    /** This rank's index in the group. */
    int rank();

    /** World ranks of the group, in group order. */
    List<Integer> ranks();

    default int size() {
        return ranks().size();
    }

    Pending allReduce(Queue after, Tensor inPlace, Reduction reduction);

    /**
     * Concatenates the shards. {@code shard} may alias this rank's part of {@code whole}. Then the collective never writes to that part, and the owner
     * may change it before the collective ends: other ranks may receive old or new values.
     */
    Pending allGather(Queue after, Tensor shard, Tensor whole);

    /** Reduces with SUM; {@code shard} may alias this rank's part of {@code whole}. */
    Pending reduceScatter(Queue after, Tensor whole, Tensor shard);

    /**
     * Gives all ranks the values of one.
     *
     * @param root index in the group. The collective never writes to its tensor; if the root changes it before the collective ends, other ranks may
     *     receive old or new values
     */
    Pending broadcast(Queue after, Tensor inPlace, int root);

    /** Part r of {@code from} goes to rank r, which receives it in the sender's part of {@code to}. */
    Pending allToAll(Queue after, Tensor from, Tensor to);

    /**
     * As {@link #allToAll}, of unequal parts: the next {@code sendRows[r]} rows of {@code from} go to rank r, and the next {@code
     * receiveRows[r]} rows of {@code to} come from rank r, also where r is this rank. A rank's {@code sendRows[r]} equals {@code
     * receiveRows} of rank r for it. Rows are along
     * the outermost dimension, and the other dimensions and the dtype of both tensors are equal. Rows after the counted ones stay as they
     * are.
     *
     * @param sendRows for each rank of the group, 0 or more; read before this returns
     * @param receiveRows the same
     * @throws IllegalArgumentException if the counts do not fit the group or the tensors
     * @throws UnsupportedOperationException if the fabric does not override this
     */
    default Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
        throw new UnsupportedOperationException(getClass().getName()
                + " has no all-to-all of unequal parts, which layers with experts need; override allToAllRows");
    }

    Pending send(Queue after, Tensor tensor, int peer);

    Pending receive(Queue after, Tensor tensor, int peer);

    /** Blocks until every rank of the group has called it. */
    void barrier();
}
