package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;

/**
 * 1F1B (Narayanan et al. 2021, arXiv 2104.04473): the warm-up of rank r of P has {@code min(P - r - 1, M)} forwards; the steady
 * state alternates a forward and the oldest backward; the cool-down runs the remaining backwards. At most {@code P - r}
 * microbatches have live activations.
 */
final class OneForwardOneBackward implements PipelineSchedule {
    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        Shapes.requireChunks("1f1b", 1, shape);
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> inOrder(shape, rank, (actions, microbatch) -> actions.backward(0))
                        .list())
                .toList();
    }

    /** The actions of a rank; {@code backward} appends the backward of a microbatch. */
    static Actions inOrder(PipelineShape shape, int rank, ObjIntConsumer<Actions> backward) {
        int warmup = Math.min(shape.ranks() - rank - 1, shape.microbatches());
        var actions = new Actions(1);
        for (int microbatch = 0; microbatch < warmup; microbatch++) {
            actions.forward(0);
        }
        for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
            if (microbatch + warmup < shape.microbatches()) {
                actions.forward(0);
            }
            backward.accept(actions, microbatch);
        }
        return actions;
    }
}
