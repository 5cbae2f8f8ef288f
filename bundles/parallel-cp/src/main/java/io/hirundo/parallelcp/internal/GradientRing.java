package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;

/** Sends dK and dV round the ring back to their rank; every rank adds its part. */
final class GradientRing {
    private final Queue queue;
    private final ElementwiseKernels kernels;
    private final ProcessGroup group;
    private final Buffers buffers;
    private final boolean overlap;
    private RingTransfer transfer;

    GradientRing(StepContext context, ProcessGroup group, Buffers buffers, boolean overlap) {
        this.queue = context.queue();
        this.kernels = context.device().kernels().elementwise();
        this.group = group;
        this.buffers = buffers;
        this.overlap = overlap;
    }

    /**
     * Adds this rank's part for the keys of this step to the received sum, and sends it to the next rank.
     *
     * @param found in a buffer, whose ownership passes to the ring
     */
    void add(KeyGradients found) {
        KeyValue sum;
        if (transfer == null) {
            found.zeroUnseen(kernels, queue);
            sum = found.all();
        } else {
            sum = arrived();
            found.addTo(kernels, queue, sum);
            buffers.giveBack(found.all());
        }
        transfer = RingTransfer.begin(group, queue, sum, buffers.take());
        if (!overlap) {
            transfer.await(queue);
        }
    }

    /** Adds the returned sum to the gradients of this rank's own keys. */
    void finish(KeyValue ownGradients) {
        if (transfer != null) {
            KeyValue sum = arrived();
            sum.addTo(kernels, queue, ownGradients);
            buffers.giveBack(sum);
        }
    }

    private KeyValue arrived() {
        transfer.await(queue);
        buffers.giveBack(transfer.sent());
        return transfer.received();
    }
}
