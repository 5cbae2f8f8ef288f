package io.hirundo.lib.fabric.local;

import io.hirundo.device.Event;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.RankOrderTransfer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The parts of all ranks in a collective, and who moves their data: each rank's lane, or, where little is moved, the rank that
 * comes last, for everybody. A lane costs each rank two switches of threads and a wait for the others, some ten microseconds,
 * which is longer than it takes to move a few pages. The sums are the same: who makes them changes neither terms nor order.
 * Guarded by the world's lock.
 */
final class CollectiveParts {
    private final LocalWorldState world;
    private final CollectivePart[] parts;
    private boolean onLanes;
    private int at;

    CollectiveParts(LocalWorldState world, int ranks) {
        this.world = world;
        this.parts = new CollectivePart[ranks];
    }

    /**
     * Adds a part of a call that was announced.
     *
     * @return whether it was the last, and {@link #move} is to be called now
     */
    boolean add(CollectivePart part, Call call) {
        parts[part.place()] = part;
        part.line().keep(part);
        // Operands that are ready at once, and a link that costs nothing: otherwise somebody would have to wait, which
        // is a lane's work.
        boolean small = call.signature().wholeBytes() * parts.length <= LocalFabric.SMALL_TRANSFER_BYTES;
        boolean atOnce = small && call.ready() == Event.PAST && world.cost() == null;
        boolean all = Arrays.stream(parts).allMatch(Objects::nonNull);
        if (onLanes
                || !atOnce
                || (all && !Arrays.stream(parts).allMatch(each -> each.line().isIdle()))) {
            giveToLanes();
            return false;
        }
        if (all) {
            for (CollectivePart each : parts) {
                each.line().remove(each);
            }
        }
        return all;
    }

    /** From now on lanes move these parts, and every part that precedes one of them. */
    void giveToLanes() {
        onLanes = true;
        for (CollectivePart part : parts) {
            if (part != null) {
                part.line().giveToLane(part);
            }
        }
    }

    /** Moves all parts' data, in the thread of a rank, without the lock. */
    void move() {
        run(RankOrderTransfer::move);
        run(RankOrderTransfer::spread);
    }

    private void run(Consumer<RankOrderTransfer> half) {
        for (CollectivePart part : parts) {
            at = part.place();
            part.runHere(half);
        }
    }

    /** Whose part {@link #move} is at, or failed at. */
    int at() {
        return at;
    }

    /** A lane needs nobody's operands any more. */
    void moved(int place) {
        parts[place].line().moved();
    }
}
