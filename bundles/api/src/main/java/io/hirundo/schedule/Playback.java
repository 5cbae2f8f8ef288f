package io.hirundo.schedule;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Simulates all ranks' actions, each as soon as its dependencies are done. */
record Playback(PipelineShape shape, Placement placement, List<List<Action>> actions) {
    /** Called for each action, after the actions it depends on. */
    interface Visitor {
        void visit(int rank, int index);
    }

    /** Returns how many actions each rank completed. */
    int[] play(Visitor visitor) {
        int[] reached = new int[shape.ranks()];
        Set<Work> done = new HashSet<>();
        boolean moved = true;
        while (moved) {
            moved = false;
            for (int rank = 0; rank < shape.ranks(); rank++) {
                List<Action> own = actions.get(rank);
                while (reached[rank] < own.size()) {
                    Work work = placement.work(rank, own.get(reached[rank]));
                    if (!done.containsAll(work.needs(shape.stages()))) {
                        break;
                    }
                    visitor.visit(rank, reached[rank]);
                    done.add(work);
                    reached[rank]++;
                    moved = true;
                }
            }
        }
        return reached;
    }
}
