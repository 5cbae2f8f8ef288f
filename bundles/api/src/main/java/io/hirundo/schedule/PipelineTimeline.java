package io.hirundo.schedule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When each action of a plan happens: as early as its rank's order and the other ranks allow. A fused backward gives its
 * input's gradient away at its end; ranks compute while they send.
 *
 * @param spans of each rank, in order; times count from the first action's begin
 * @param total until the last rank's last action has ended
 */
public record PipelineTimeline(List<List<Span>> spans, double total) {
  /** An action and its time. The halves of a fused backward are two spans. */
  public record Span(Action action, double start, double end) {
    /** How long. */
    public double duration() {
      return end - start;
    }
  }

  public PipelineTimeline {
    spans = spans.stream().map(List::copyOf).toList();
  }

  static PipelineTimeline of(PipelinePlan plan, ActionTimes times, Playback playback, Placement placement) {
    int ranks = plan.shape().ranks();
    List<List<Span>> spans = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      spans.add(new ArrayList<>());
    }
    double[] free = new double[ranks];
    Map<Work, Double> ends = new HashMap<>();
    playback.play((rank, index) -> {
      Action action = plan.actions(rank).get(index);
      Work work = placement.work(rank, action);
      double start = free[rank];
      // A half that is run with the one before it only waits for its own rank, whatever its end was told to others.
      boolean continues = index > 0 && plan.isFused(rank, index - 1);
      if (!continues) {
        for (Work need : work.needs(plan.shape().stages())) {
          start = Math.max(start, ends.get(need) + (placement.rank(need.stage()) == rank ? 0 : times.transfer()));
        }
      }
      free[rank] = start + times.of(action.kind());
      ends.put(work, free[rank] + (plan.isFused(rank, index) ? times.backwardWeight() : 0));
      spans.get(rank).add(new Span(action, start, free[rank]));
    });
    double total = 0;
    for (double end : free) {
      total = Math.max(total, end);
    }
    return new PipelineTimeline(spans, total);
  }

  /** Time in which a rank computes. */
  public double busy(int rank) {
    return spans.get(rank).stream().mapToDouble(Span::duration).sum();
  }

  /** Time in which a rank waits, between 0 and {@link #total}. */
  public double idle(int rank) {
    return total - busy(rank);
  }

  /** Share of all ranks' time that is waiting. */
  public double bubbleFraction() {
    double busy = 0;
    for (int rank = 0; rank < spans.size(); rank++) {
      busy += busy(rank);
    }
    return 1 - busy / (total * spans.size());
  }

  /** How much longer it takes than the busiest rank computes, over what it computes: 0.25 for a quarter more. */
  public double bubbleOverIdeal() {
    double ideal = 0;
    for (int rank = 0; rank < spans.size(); rank++) {
      ideal = Math.max(ideal, busy(rank));
    }
    return total / ideal - 1;
  }

  /**
   * The longest time in which a rank waits between its first action and its last: what is left when the next step's first
   * ranks may begin before this step's last ranks have ended.
   */
  public double longestInnerIdle() {
    double longest = 0;
    for (int rank = 0; rank < spans.size(); rank++) {
      List<Span> own = spans.get(rank);
      longest = Math.max(longest, own.getLast().end() - own.getFirst().start() - busy(rank));
    }
    return longest;
  }
}
