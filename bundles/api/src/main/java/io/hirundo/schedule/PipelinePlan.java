package io.hirundo.schedule;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A schedule's plan for a shape, checked: every action occurs once, and the order has no deadlock. Also says which rank sends
 * what to which, and how many activations are live. Immutable.
 */
public final class PipelinePlan {
    /** 16 ranks with 4 chunks each and 4,096 microbatches. Each stage and microbatch has three actions, so this bounds memory. */
    private static final long MOST_STAGE_MICROBATCHES = 1L << 18;

    private final PipelineShape shape;
    private final Placement placement;
    private final boolean fusesBackward;
    private final List<List<Action>> actions;

    private PipelinePlan(PipelineShape shape, Placement placement, boolean fusesBackward, List<List<Action>> actions) {
        this.shape = shape;
        this.placement = placement;
        this.fusesBackward = fusesBackward;
        this.actions = actions;
    }

    /**
     * Plans a step and checks the plan.
     *
     * @param ranks along the pipeline axis
     * @param microbatches of a step, on each pipeline
     * @throws io.hirundo.ConfigurationException if the schedule rejects this shape, or its plan is invalid; names the rank, the
     *     action, and what it waits for
     */
    public static PipelinePlan of(PipelineSchedule schedule, int ranks, int microbatches) {
        requireSize(ranks, schedule.chunks(), microbatches);
        var shape = new PipelineShape(ranks, schedule.chunks(), microbatches);
        List<List<Action>> actions =
                schedule.plan(shape).stream().map(List::copyOf).toList();
        var placement = new Placement(schedule, shape);
        new PlanCheck(shape, placement, actions).run();
        return new PipelinePlan(shape, placement, schedule.fusesBackward(), actions);
    }

    private static void requireSize(long ranks, long chunks, long microbatches) {
        boolean stagesFit = ranks * chunks <= MOST_STAGE_MICROBATCHES;
        if (!stagesFit || ranks * chunks * microbatches > MOST_STAGE_MICROBATCHES) {
            throw new ConfigurationException(String.format(
                    Locale.ROOT,
                    "schedule: %,d microbatches through %,d stages are too many (allowed: a product up to %,d); use larger microbatches or"
                            + " fewer stages",
                    microbatches,
                    ranks * chunks,
                    MOST_STAGE_MICROBATCHES));
        }
    }

    /** The planned shape. */
    public PipelineShape shape() {
        return shape;
    }

    /** A rank's actions, in order. */
    public List<Action> actions(int rank) {
        return actions.get(rank);
    }

    /** The stage of a rank's chunk. */
    public int stage(int rank, int chunk) {
        return placement.stage(rank, chunk);
    }

    /** The rank of a stage. */
    public int rank(int stage) {
        return placement.rank(stage);
    }

    /** The chunk of a stage on its rank. */
    public int chunk(int stage) {
        return placement.chunk(stage);
    }

    /**
     * Whether this action is a backward-input that runs fused with the next backward-weight. The first stage may always fuse: no
     * rank waits for its input gradient.
     */
    public boolean isFused(int rank, int index) {
        List<Action> own = actions.get(rank);
        Action action = own.get(index);
        return action.kind() == Action.Kind.BACKWARD_INPUT
                && index + 1 < own.size()
                && own.get(index + 1)
                        .equals(new Action(Action.Kind.BACKWARD_WEIGHT, action.microbatch(), action.chunk()))
                && (fusesBackward || stage(rank, action.chunk()) == 0);
    }

    /**
     * What one rank sends to another, in send order. Some schedules need it in another order on the receiver. Where transfers match
     * in order, post receives in this order.
     *
     * @return the receiver's actions that consume the transfers: activations for a forward, output gradients for a backward-input.
     *     Empty from a rank to itself
     */
    public List<Action> messages(int from, int to) {
        var messages = new ArrayList<Action>();
        if (from != to) {
            for (Action action : actions.get(from)) {
                int target = switch (action.kind()) {
                    case FORWARD -> stage(from, action.chunk()) + 1;
                    case BACKWARD_INPUT -> stage(from, action.chunk()) - 1;
                    case BACKWARD_WEIGHT -> -1;
                };
                if (target >= 0 && target < shape.stages() && rank(target) == to) {
                    messages.add(new Action(action.kind(), action.microbatch(), chunk(target)));
                }
            }
        }
        return List.copyOf(messages);
    }

    /** Peak number of live activations of a rank, counted per chunk and microbatch from forward to backward-weight. */
    public int peakLiveActivations(int rank) {
        int live = 0;
        int peak = 0;
        for (Action action : actions.get(rank)) {
            switch (action.kind()) {
                case FORWARD -> peak = Math.max(peak, ++live);
                case BACKWARD_INPUT -> {}
                case BACKWARD_WEIGHT -> live--;
            }
        }
        return peak;
    }

    /** When each action runs, given these durations. */
    public PipelineTimeline timeline(ActionTimes times) {
        return PipelineTimeline.of(this, times, new Playback(shape, placement, actions), placement);
    }
}
