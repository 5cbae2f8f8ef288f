package io.hirundo.schedule;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks a plan: all actions occur, each rank's order is possible, and ranks do not deadlock. */
record PlanCheck(PipelineShape shape, Placement placement, List<List<Action>> actions) {
    void run() {
        if (actions.size() != shape.ranks()) {
            throw new ConfigurationException(
                    "schedule: the plan has " + actions.size() + " ranks, but the pipeline has " + shape.ranks());
        }
        for (int rank = 0; rank < shape.ranks(); rank++) {
            checkRank(rank);
        }
        int[] reached = new Playback(shape, placement, actions).play((rank, index) -> {});
        for (int rank = 0; rank < shape.ranks(); rank++) {
            if (reached[rank] < actions.get(rank).size()) {
                throw new ConfigurationException("schedule: deadlock: " + cycle(rank, reached));
            }
        }
    }

    /** Each action once; a chunk's forward, backward-input and backward-weight in this order. */
    private void checkRank(int rank) {
        Set<Action> done = new HashSet<>();
        for (Action action : actions.get(rank)) {
            if (action.microbatch() < 0
                    || action.microbatch() >= shape.microbatches()
                    || action.chunk() < 0
                    || action.chunk() >= shape.chunks()) {
                throw wrong(
                        rank,
                        action,
                        "is not among " + shape.microbatches() + " microbatches of " + shape.chunks() + " chunks");
            }
            Action.Kind[] kinds = Action.Kind.values();
            if (action.kind() != Action.Kind.FORWARD) {
                Action before = new Action(kinds[action.kind().ordinal() - 1], action.microbatch(), action.chunk());
                if (!done.contains(before)) {
                    throw wrong(rank, action, "comes before " + before.label() + ", which it waits for");
                }
            }
            if (!done.add(action)) {
                throw wrong(rank, action, "is planned twice");
            }
        }
        for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
            for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                for (Action.Kind kind : Action.Kind.values()) {
                    Action action = new Action(kind, microbatch, chunk);
                    if (!done.contains(action)) {
                        throw wrong(rank, action, "is missing");
                    }
                }
            }
        }
    }

    private static ConfigurationException wrong(int rank, Action action, String what) {
        return new ConfigurationException("schedule: rank " + rank + ": " + action.label() + " " + what);
    }

    /** Follows the waiting ranks until one repeats, and describes the cycle. */
    private String cycle(int first, int[] reached) {
        List<String> links = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        int rank = first;
        while (seen.add(rank)) {
            Action stuck = actions.get(rank).get(reached[rank]);
            Work need = missing(rank, stuck, reached);
            int next = placement.rank(need.stage());
            links.add("rank " + rank + " at " + stuck.label() + " waits for "
                    + placement.action(need).label() + " of rank " + next);
            rank = next;
        }
        return String.join(", ", links);
    }

    private Work missing(int rank, Action stuck, int[] reached) {
        for (Work need : placement.work(rank, stuck).needs(shape.stages())) {
            int other = placement.rank(need.stage());
            if (actions.get(other).indexOf(placement.action(need)) >= reached[other]) {
                return need;
            }
        }
        throw new IllegalStateException(stuck + " waits for nothing");
    }
}
