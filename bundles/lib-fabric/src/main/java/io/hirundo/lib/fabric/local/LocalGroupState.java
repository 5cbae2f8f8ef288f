package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.GroupName;
import io.hirundo.lib.fabric.Signature;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the ranks of a group share: what is under way, and how busy their links are. Guarded by the world's lock. */
final class LocalGroupState {
    /** Marks a collective of all ranks. */
    private static final int ALL = -1;

    /** A place in a line of collectives: those of all, or of a sender and a receiver. */
    private record Slot(int from, int to, long number) {}

    private final LocalWorldState world;
    private final GroupName name;
    private final List<Integer> ranks;
    private final Map<Slot, LocalCollective> collectives = new HashMap<>();
    /** For each place, when its link is free, on the clock of {@link System#nanoTime}. */
    private final long[] linkFreeNanos;

    LocalGroupState(LocalWorldState world, GroupName name) {
        this.world = world;
        this.name = name;
        this.ranks = name.ranks();
        this.linkFreeNanos = new long[ranks.size()];
        Arrays.fill(linkFreeNanos, System.nanoTime());
    }

    GroupName name() {
        return name;
    }

    /** The collective of this number, in which a rank has its place in the group. */
    LocalCollective collective(long number) {
        var slot = new Slot(ALL, ALL, number);
        return collectives.computeIfAbsent(
                slot,
                key -> new LocalCollective(
                        world, this, ranks, name.collective(number), () -> collectives.remove(slot)));
    }

    /** The message of this number from one place to another. The sender has place 0 in it, the receiver place 1. */
    LocalCollective pointToPoint(int from, int to, long number) {
        var slot = new Slot(from, to, number);
        var both = List.of(ranks.get(from), ranks.get(to));
        return collectives.computeIfAbsent(
                slot,
                key -> new LocalCollective(
                        world, this, both, name.transfer(from, to, number), () -> collectives.remove(slot)));
    }

    /**
     * Books a transfer that begins now on the links of those who send: of all ranks, or of the sender alone. One that is busy
     * begins later.
     *
     * @return when all of them end, on the clock of {@link System#nanoTime}
     */
    long transfer(Signature signature, List<Integer> participants) {
        long now = System.nanoTime();
        if (world.cost() == null) {
            return now;
        }
        long nanos = world.cost().nanos(signature, participants.size());
        long latest = now;
        for (int rank : signature.kind().isBetweenTwo() ? participants.subList(0, 1) : participants) {
            int place = ranks.indexOf(rank);
            long begin = linkFreeNanos[place] - now > 0 ? linkFreeNanos[place] : now;
            linkFreeNanos[place] = begin + nanos;
            latest = begin + nanos - latest > 0 ? begin + nanos : latest;
        }
        return latest;
    }
}
