package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Zero bubble H1 (Qi et al. 2023, arXiv 2401.10241): forwards and backward-inputs in the order of {@code 1f1b}, but rank r
 * delays r backward-weights. The ranks before it get their gradients earlier, and the delayed work fills the cool-down bubble. The
 * bubble is {@code (P - 1) (F + B - W)}, a third of that of {@code 1f1b} if the three take equally long. Every rank holds at most P
 * microbatches, as the first rank of {@code 1f1b} does.
 */
final class ZeroBubbleH1 implements PipelineSchedule {
    /** Keeps halves that are adjacent only because microbatches are few from delaying the ranks before. */
    @Override
    public boolean fusesBackward() {
        return false;
    }

    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        Shapes.requireChunks("zb-h1", 1, shape);
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> rank(shape, rank))
                .toList();
    }

    private static List<Action> rank(PipelineShape shape, int rank) {
        Actions actions = OneForwardOneBackward.inOrder(shape, rank, (begun, microbatch) -> {
            begun.backwardInput(0);
            if (microbatch >= rank) {
                begun.backwardWeight(0);
            }
        });
        while (actions.count(Action.Kind.BACKWARD_WEIGHT, 0) < shape.microbatches()) {
            actions.backwardWeight(0);
        }
        return actions.list();
    }
}
