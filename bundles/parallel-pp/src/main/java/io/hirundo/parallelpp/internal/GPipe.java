package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.Collections;
import java.util.List;

/**
 * GPipe (Huang et al. 2018, arXiv 1811.06965): all forwards, then all backwards in the same order. Every stage saves the
 * activations of all microbatches. Backwards in the forwards' order sum gradients in the order of {@code 1f1b}.
 */
final class GPipe implements PipelineSchedule {
    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        Shapes.requireChunks("gpipe", 1, shape);
        var actions = new Actions(1);
        for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
            actions.forward(0);
        }
        for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
            actions.backward(0);
        }
        return Collections.nCopies(shape.ranks(), actions.list());
    }
}
