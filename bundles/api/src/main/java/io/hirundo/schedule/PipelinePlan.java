package io.hirundo.schedule;

import io.hirundo.ConfigurationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A schedule's plan for a shape, checked: every action is there once, in an order in which all ranks come to the end. Says
 * besides who talks to whom, and how much is kept. Immutable.
 */
public final class PipelinePlan {
  /** 16 ranks with 4 chunks each and 4,096 microbatches: each is listed three times, and in memory more often. */
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
   * @throws io.hirundo.ConfigurationException when the schedule refuses this shape, or when its plan cannot be run: the
   *     message names the rank, the action, and what it waits for
   */
  public static PipelinePlan of(PipelineSchedule schedule, int ranks, int microbatches) {
    requireSize(ranks, schedule.chunks(), microbatches);
    var shape = new PipelineShape(ranks, schedule.chunks(), microbatches);
    List<List<Action>> actions = schedule.plan(shape).stream().map(List::copyOf).toList();
    var placement = new Placement(schedule, shape);
    new PlanCheck(shape, placement, actions).run();
    return new PipelinePlan(shape, placement, schedule.fusesBackward(), actions);
  }

  private static void requireSize(long ranks, long chunks, long microbatches) {
    boolean stagesFit = ranks * chunks <= MOST_STAGE_MICROBATCHES;
    if (!stagesFit || ranks * chunks * microbatches > MOST_STAGE_MICROBATCHES) {
      throw new ConfigurationException(
          String.format(
              Locale.ROOT,
              "schedule: %,d microbatches through %,d stages are more than can be listed; allowed: up to %,d, multiplied; use larger"
                  + " microbatches or fewer stages",
              microbatches, ranks * chunks, MOST_STAGE_MICROBATCHES));
    }
  }

  /** What it is for. */
  public PipelineShape shape() {
    return shape;
  }

  /** What a rank does, in order. */
  public List<Action> actions(int rank) {
    return actions.get(rank);
  }

  /** The stage that a rank's chunk is. */
  public int stage(int rank, int chunk) {
    return placement.stage(rank, chunk);
  }

  /** The rank that has a stage. */
  public int rank(int stage) {
    return placement.rank(stage);
  }

  /** As which chunk the rank has it. */
  public int chunk(int stage) {
    return placement.chunk(stage);
  }

  /**
   * Whether a rank's action is a backward-input that runs as one with the backward-weight right behind it. The first stage
   * may always do so: nobody waits for its input's gradient.
   */
  public boolean isFused(int rank, int index) {
    List<Action> own = actions.get(rank);
    Action action = own.get(index);
    return action.kind() == Action.Kind.BACKWARD_INPUT
        && index + 1 < own.size()
        && own.get(index + 1).equals(new Action(Action.Kind.BACKWARD_WEIGHT, action.microbatch(), action.chunk()))
        && (fusesBackward || stage(rank, action.chunk()) == 0);
  }

  /**
   * What one rank sends to another, in the order in which it is sent. Schedules exist whose receiver does not need it in
   * this order; where messages are matched in order, receives must be posted in this one.
   *
   * @return the receiver's actions that the messages are for: activations for a forward, the output's gradient for a
   *     backward-input. Empty for a rank and itself
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

  /** The most activations of a chunk and microbatch that a rank holds at a time: each from its forward to its backward-weight. */
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

  /** When everything happens, if the actions take these times. */
  public PipelineTimeline timeline(ActionTimes times) {
    return PipelineTimeline.of(this, times, new Playback(shape, placement, actions), placement);
  }
}
