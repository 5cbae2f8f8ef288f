package __package__;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Eager 1F1B (Zhuang et al. 2022, arXiv 2211.05322): as 1F1B, with a longer warm-up. A rank then has work while activations and gradients
 * are on their way. Of P ranks and M microbatches, rank r has at most {@code min(eagerness (P - r - 1) + 1, M)} live activations.
 */
record __Name__Schedule(int eagerness) implements PipelineSchedule {
    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        if (shape.chunks() != 1) {
            throw new ConfigurationException("mesh.schedule: __name__ plans one model chunk per rank, not "
                    + shape.chunks() + "; choose interleaved for several");
        }
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> actions(shape, rank))
                .toList();
    }

    /** Sends and receives are not planned: they follow from the actions. */
    private List<Action> actions(PipelineShape shape, int rank) {
        int microbatches = shape.microbatches();
        int warmup = Math.min(eagerness * (shape.ranks() - rank - 1), microbatches);
        List<Action> actions = new ArrayList<>();
        for (int microbatch = 0; microbatch < warmup; microbatch++) {
            actions.add(new Action(Kind.FORWARD, microbatch, 0));
        }
        for (int microbatch = 0; microbatch < microbatches; microbatch++) {
            if (microbatch + warmup < microbatches) {
                actions.add(new Action(Kind.FORWARD, microbatch + warmup, 0));
            }
            // In a row, so that both halves run as one; zero-bubble schedules put others between.
            actions.add(new Action(Kind.BACKWARD_INPUT, microbatch, 0));
            actions.add(new Action(Kind.BACKWARD_WEIGHT, microbatch, 0));
        }
        return actions;
    }
}
