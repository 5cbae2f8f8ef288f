package io.hirundo.paralleldp.internal.layout;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How the ranks of a group divide a buffer: each has one slice, in rank order.
 *
 * @param ranks of the group
 * @param elements of the buffer
 * @param firsts where the slice of each rank begins, and the end of the last; empty where all slices are equal. Read only, and compared by content;
 *     no list, because a plan of thousands of ranks makes one for each bucket of each rank
 */
public record Shards(int ranks, long elements, LongBuffer firsts) {
    private static final LongBuffer NONE = LongBuffer.allocate(0).asReadOnlyBuffer();

    /** Equal slices. {@code elements}: a multiple of the ranks. */
    static Shards even(int ranks, long elements) {
        return new Shards(ranks, elements, NONE);
    }

    /** Slices of these sizes. */
    static Shards of(long[] sizes) {
        var firsts = new long[sizes.length + 1];
        for (int rank = 0; rank < sizes.length; rank++) {
            firsts[rank + 1] = firsts[rank] + sizes[rank];
        }
        return new Shards(
                sizes.length, firsts[sizes.length], LongBuffer.wrap(firsts).asReadOnlyBuffer());
    }

    /** Slices of tensors with an element for each block, at whose multiples slices begin. */
    Shards inBlocks(int block) {
        var blocks = new long[firsts.limit()];
        Arrays.setAll(blocks, index -> firsts.get(index) / block);
        return new Shards(ranks, elements / block, LongBuffer.wrap(blocks).asReadOnlyBuffer());
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
        return firsts.limit() == 0;
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
