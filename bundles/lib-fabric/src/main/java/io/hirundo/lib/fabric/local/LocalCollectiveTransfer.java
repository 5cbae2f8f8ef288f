package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Collective;
import io.hirundo.lib.fabric.RankOrderTransfer;

/** One rank's transfer on its lane: waits for the operands of all ranks, moves its share, and waits for the others. */
record LocalCollectiveTransfer(LocalCollective collective, RankOrderTransfer transfer) {
    void run() {
        int place = transfer.place();
        var own = transfer.calls()[place];
        try {
            own.ready().await();
            if (!collective.pass(place, LocalCollective.READY)) {
                return;
            }
            transfer.move();
            transfer.queue().drain();
            if (own.signature().kind() == Collective.ALL_REDUCE) {
                if (!collective.pass(place, LocalCollective.REDUCED)) {
                    return;
                }
                transfer.spread();
                transfer.queue().drain();
            }
            collective.finish(place);
        } catch (RuntimeException | Error e) {
            collective.giveUp(place, e);
        }
    }
}
