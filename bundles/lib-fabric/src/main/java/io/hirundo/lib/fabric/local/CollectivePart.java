package io.hirundo.lib.fabric.local;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.fabric.RankOrderTransfer;
import io.hirundo.tensor.Tensor;
import java.util.function.Consumer;

/**
 * One rank's part in a collective.
 *
 * @param device of the rank, whose kernels move its data whoever calls them
 * @param chunk to sum in, null where none is needed
 * @param line the rank's earlier and later parts of the same order
 */
record CollectivePart(LocalCollective collective, int place, Device device, Tensor chunk, LaneQueue line) {
    /** In the rank's lane. */
    void run(Queue queue) {
        new LocalCollectiveTransfer(collective, transfer(queue)).run();
    }

    /** In the calling thread: a part of the transfer, to its end. */
    void runHere(Consumer<RankOrderTransfer> half) {
        try (Queue queue = device.newQueue("small transfers")) {
            half.accept(transfer(queue));
            queue.drain();
        }
    }

    private RankOrderTransfer transfer(Queue queue) {
        return new RankOrderTransfer(device.kernels().elementwise(), queue, collective.calls(), place, chunk);
    }
}
