package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Lane;
import java.util.ArrayDeque;
import java.util.Deque;

/** The parts of one rank that share a lane, in the program's order. Guarded by the world's lock. */
final class LaneQueue {
    private final Lane lane;
    /** Not given to the lane, because the rank that comes last may move everything. */
    private final Deque<CollectivePart> kept = new ArrayDeque<>();

    private int onLane;

    LaneQueue(Lane lane) {
        this.lane = lane;
    }

    /** Whether the lane has ended all work that it was given. */
    boolean isIdle() {
        return onLane == 0;
    }

    void keep(CollectivePart part) {
        kept.add(part);
    }

    /** Gives a part to the lane, after all those before it. */
    void giveToLane(CollectivePart last) {
        while (kept.contains(last)) {
            CollectivePart next = kept.remove();
            onLane++;
            lane.add(next::run);
            next.collective().parts().giveToLanes();
        }
    }

    /** The lane has moved a part. */
    void moved() {
        onLane--;
    }

    /** The rank that comes last moves a part. */
    void remove(CollectivePart part) {
        kept.remove(part);
    }
}
