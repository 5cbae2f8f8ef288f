package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import java.util.List;

/**
 * One step of the ring: a rank sends keys and values, or their gradients, to the next rank and receives those of the previous.
 *
 * @param sent must not be overwritten before the transfer completes
 * @param received must not be read before the transfer completes
 */
record RingTransfer(KeyValue sent, KeyValue received, List<Pending> transfers) {
    static RingTransfer begin(ProcessGroup group, Queue queue, KeyValue sent, KeyValue received) {
        int next = (group.rank() + 1) % group.size();
        int previous = Math.floorMod(group.rank() - 1, group.size());
        return new RingTransfer(
                sent,
                received,
                List.of(
                        group.send(queue, sent.keyNGsD(), next),
                        group.send(queue, sent.valueNGsD(), next),
                        group.receive(queue, received.keyNGsD(), previous),
                        group.receive(queue, received.valueNGsD(), previous)));
    }

    /** Orders later work of the queue after the transfer: it may read what was received and overwrite what was sent. */
    void await(Queue queue) {
        transfers.forEach(transfer -> queue.await(transfer.event()));
    }
}
