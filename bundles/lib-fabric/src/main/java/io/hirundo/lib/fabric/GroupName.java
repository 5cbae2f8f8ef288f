package io.hirundo.lib.fabric;

import java.util.List;

/**
 * Names a process group and its collectives in messages.
 *
 * @param name for instance {@code along [DATA]}
 * @param ranks world ranks, in group order
 */
public record GroupName(String name, List<Integer> ranks) {
    public GroupName {
        ranks = List.copyOf(ranks);
    }

    /** For instance {@code along [DATA] (ranks [0, 2])}. */
    public String title() {
        return name + " (ranks " + ranks + ")";
    }

    public String collective(long number) {
        return "number " + number + " " + title();
    }

    /**
     * Names a point-to-point transfer.
     *
     * @param from group rank of the sender
     * @param to group rank of the receiver
     */
    public String transfer(int from, int to, long number) {
        return "number " + number + " from rank " + ranks.get(from) + " to rank " + ranks.get(to) + " " + title();
    }
}
