package io.hirundo.lib.engine.pipeline;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A schedule of one microbatch with the stage placement of another schedule, for schedules that need several microbatches.
 *
 * @param placement assigns stages to ranks
 */
record SingleMicrobatch(PipelineSchedule placement) implements PipelineSchedule {
    @Override
    public int chunks() {
        return placement.chunks();
    }

    @Override
    public int stage(PipelineShape shape, int rank, int chunk) {
        return placement.stage(shape, rank, chunk);
    }

    @Override
    public boolean fusesBackward() {
        return placement.fusesBackward();
    }

    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        return IntStream.range(0, shape.ranks())
                .mapToObj(rank -> planOf(shape, rank))
                .toList();
    }

    private List<Action> planOf(PipelineShape shape, int rank) {
        List<Integer> inModelOrder = IntStream.range(0, shape.chunks())
                .boxed()
                .sorted(Comparator.comparing(chunk -> stage(shape, rank, chunk)))
                .toList();
        var actions = new ArrayList<Action>();
        inModelOrder.forEach(chunk -> actions.add(new Action(Kind.FORWARD, 0, chunk)));
        for (int chunk : inModelOrder.reversed()) {
            actions.add(new Action(Kind.BACKWARD_INPUT, 0, chunk));
            actions.add(new Action(Kind.BACKWARD_WEIGHT, 0, chunk));
        }
        return actions;
    }
}
