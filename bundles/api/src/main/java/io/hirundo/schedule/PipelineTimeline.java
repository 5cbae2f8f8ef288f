package io.hirundo.schedule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Start and end of each action of a plan, as early as its rank's order and its dependencies allow. A fused backward sends its
 * input gradient at its end. Ranks compute while they send.
 *
 * @param spans of each rank, in order; times count from the start of the first action
 * @param total end of the last action
 */
public record PipelineTimeline(List<List<Span>> spans, double total) {
    /** An action and its time span. The halves of a fused backward are two spans. */
    public record Span(Action action, double start, double end) {
        /** End minus start. */
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
            // The second half of a fused backward waits for its own rank only.
            boolean continues = index > 0 && plan.isFused(rank, index - 1);
            if (!continues) {
                for (Work need : work.needs(plan.shape().stages())) {
                    start = Math.max(
                            start, ends.get(need) + (placement.rank(need.stage()) == rank ? 0 : times.transfer()));
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

    /** Bubble: idle share of all ranks' time. */
    public double bubbleFraction() {
        double busy = 0;
        for (int rank = 0; rank < spans.size(); rank++) {
            busy += busy(rank);
        }
        return 1 - busy / (total * spans.size());
    }

    /** Bubble over ideal time: total over the busiest rank's compute time, minus 1; 0.25 means a quarter longer. */
    public double bubbleOverIdeal() {
        double ideal = 0;
        for (int rank = 0; rank < spans.size(); rank++) {
            ideal = Math.max(ideal, busy(rank));
        }
        return total / ideal - 1;
    }

    /**
     * The longest idle time of a rank between its first and last action. This remains if the next step's first ranks start before
     * this step's last ranks end.
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
