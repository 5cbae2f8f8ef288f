package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Sums of gradients over the ranks that own the same slices (hybrid sharding): one all-reduce of each unit's slice per step, after its last
 * microbatch. Without replicas nothing is sent.
 */
final class ReplicaSums {
    private final Device device;
    private final Optional<ProcessGroup> replicas;
    private final Deque<Sum> running = new ArrayDeque<>();

    /**
     * A sum in flight.
     *
     * @param rounded what is sent; the slice itself, or its BF16 copy, which the sum owns
     */
    private record Sum(Tensor slice, Tensor rounded, Pending pending) {}

    ReplicaSums(Device device, Optional<ProcessGroup> replicas) {
        this.device = device;
        this.replicas = replicas;
    }

    /**
     * Starts the sum of a slice, which must not be touched until {@link #finish}.
     *
     * @param inBf16 whether it is rounded to BF16 before it is sent; then one at a time is in flight, because it takes memory
     */
    void start(Queue queue, Tensor slice, boolean inBf16) {
        replicas.ifPresent(group -> start(queue, group, slice, inBf16));
    }

    private void start(Queue queue, ProcessGroup group, Tensor slice, boolean inBf16) {
        Tensor sent = slice;
        if (inBf16) {
            finish(queue);
            sent = device.allocate(MemoryCategory.COMMUNICATION, slice.shape(), DType.BF16);
            device.kernels().elementwise().copy(queue, slice, sent);
        }
        try {
            running.add(new Sum(slice, sent, group.allReduce(queue, sent, Reduction.SUM)));
        } catch (RuntimeException failure) {
            if (sent != slice) {
                sent.close();
            }
            throw failure;
        }
    }

    /** Later work of the queue finds all sums. */
    void finish(Queue queue) {
        while (!running.isEmpty()) {
            Sum sum = running.remove();
            queue.await(sum.pending().event());
            if (sum.rounded() != sum.slice()) {
                device.kernels().elementwise().copy(queue, sum.rounded(), sum.slice());
                sum.rounded().close();
            }
        }
    }
}
