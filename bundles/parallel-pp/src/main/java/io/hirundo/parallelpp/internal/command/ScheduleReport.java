package io.hirundo.parallelpp.internal.command;

import io.hirundo.lib.terminal.WrappedText;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineTimeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints a schedule's figures. */
record ScheduleReport(String name, PipelinePlan plan, PipelineTimeline timeline, ActionTimes times) {
    /** The title line. */
    String title() {
        var shape = plan.shape();
        return name + ": " + count(shape.ranks(), "rank")
                + (shape.chunks() == 1 ? "" : " of " + shape.chunks() + " chunks") + ", "
                + count(shape.microbatches(), "microbatch");
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : what.endsWith("h") ? "es" : "s");
    }

    /** The bubble fraction and what it costs. */
    String bubble() {
        return Numbers.percent(timeline.bubbleFraction()) + " of all ranks' time; step "
                + Numbers.percent(timeline.bubbleOverIdeal()) + " longer than without a bubble ("
                + Numbers.of(timeline.total()) + ")";
    }

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.addAll(WrappedText.of(legend(), 0).lines().toList());
        String time = "Time    F " + Numbers.of(times.forward()) + ", B " + Numbers.of(times.backwardInput()) + ", W "
                + Numbers.of(times.backwardWeight()) + " for each stage"
                + (plan.shape().chunks() == 1 ? "" : " (a chunk of a rank)") + ", transfer "
                + Numbers.of(times.transfer());
        lines.addAll(WrappedText.of(time, 8).lines().toList());
        lines.addAll(WrappedText.of("Bubble  " + bubble(), 8).lines().toList());
        double inner = timeline.longestInnerIdle();
        lines.add("Inside  " + (inner < 1e-9 ? "no rank waits" : "a rank waits " + Numbers.of(inner) + " at most")
                + " between its first action and its last");
        lines.add("");
        boolean isChunked = plan.shape().chunks() > 1;
        lines.add("        starts    ends    busy    idle  peak live activations"
                + (isChunked ? " (chunks; ranks)" : ""));
        for (int rank = 0; rank < plan.shape().ranks(); rank++) {
            var spans = timeline.spans().get(rank);
            int peak = plan.peakLiveActivations(rank);
            lines.add(String.format(
                    Locale.ROOT,
                    "rank %-3d%6s  %6s  %6s  %6s  %s%s",
                    rank,
                    Numbers.of(spans.getFirst().start()),
                    Numbers.of(spans.getLast().end()),
                    Numbers.of(timeline.busy(rank)),
                    Numbers.of(timeline.idle(rank)),
                    peak,
                    isChunked ? "; " + Numbers.of((double) peak / plan.shape().chunks()) : ""));
        }
        return lines;
    }

    private String legend() {
        int chunks = plan.shape().chunks();
        return "F forward, B backward for the input, W for the weights, of a microbatch"
                + (chunks == 1 ? "" : chunks == 2 ? "; small letters: chunk 1" : "; .1: chunk 1");
    }
}
