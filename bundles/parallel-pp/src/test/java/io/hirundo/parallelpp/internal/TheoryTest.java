package io.hirundo.parallelpp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineTimeline;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every schedule for every size: it runs, holds as much and waits as long as theory says. F, B and W take 1 each. */
class TheoryTest {
    private static final double TOLERANCE = 1e-9;

    record Size(int ranks, int microbatches) {}

    static Stream<Size> sizes() {
        var sizes = new ArrayList<Size>();
        for (int ranks = 1; ranks <= 8; ranks++) {
            for (int microbatches : new int[] {1, 2, 3, 4, 7, 2 * ranks - 1, 2 * ranks, 3 * ranks + 1, 33}) {
                sizes.add(new Size(ranks, microbatches));
            }
        }
        return sizes.stream().distinct();
    }

    private static PipelineTimeline timeline(PipelinePlan plan) {
        return plan.timeline(ActionTimes.EQUAL);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void gpipe(Size size) {
        PipelinePlan plan = PipelinePlan.of(new GPipe(), size.ranks, size.microbatches);
        for (int rank = 0; rank < size.ranks; rank++) {
            assertEquals(size.microbatches, plan.peakLiveActivations(rank));
        }
        assertBubble(size.ranks - 1.0, size, plan);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void oneForwardOneBackward(Size size) {
        PipelinePlan plan = PipelinePlan.of(new OneForwardOneBackward(), size.ranks, size.microbatches);
        for (int rank = 0; rank < size.ranks; rank++) {
            assertEquals(Math.min(size.ranks - rank, size.microbatches), plan.peakLiveActivations(rank));
        }
        assertBubble(size.ranks - 1.0, size, plan);
    }

    /** A third of the others', and each rank with what the first of 1f1b has. */
    @ParameterizedTest
    @MethodSource("sizes")
    void zeroBubbleH1(Size size) {
        PipelinePlan plan = PipelinePlan.of(new ZeroBubbleH1(), size.ranks, size.microbatches);
        for (int rank = 0; rank < size.ranks; rank++) {
            assertEquals(Math.min(size.ranks, size.microbatches), plan.peakLiveActivations(rank), "rank " + rank);
        }
        if (size.microbatches >= size.ranks) {
            assertBubble((size.ranks - 1) / 3.0, size, plan);
        } else {
            // The way to the last rank, there a forward and a backward-input in turn, the way back, and a
            // backward-weight.
            assertEquals(
                    2 * (size.ranks - 1) + 2 * size.microbatches + 1,
                    timeline(plan).total(),
                    TOLERANCE);
        }
    }

    /** (P - 1) (F + B - W). */
    @ParameterizedTest
    @MethodSource("sizes")
    void zeroBubbleH1WithOtherTimes(Size size) {
        if (size.microbatches >= 2 * size.ranks) {
            PipelinePlan plan = PipelinePlan.of(new ZeroBubbleH1(), size.ranks, size.microbatches);
            PipelineTimeline timeline = plan.timeline(new ActionTimes(1, 1.25, 0.75, 0));
            assertEquals(3 * size.microbatches + 1.5 * (size.ranks - 1), timeline.total(), TOLERANCE);
        }
    }

    /** The bubble counts in microbatches, each 3 long. */
    private static void assertBubble(double bubble, Size size, PipelinePlan plan) {
        PipelineTimeline timeline = timeline(plan);
        assertEquals(bubble / (size.microbatches + bubble), timeline.bubbleFraction(), TOLERANCE);
        assertEquals(bubble / size.microbatches, timeline.bubbleOverIdeal(), TOLERANCE);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void zeroBubbleV(Size size) {
        int ranks = size.ranks;
        PipelinePlan plan = PipelinePlan.of(new ZeroBubbleV(), ranks, size.microbatches);
        PipelineTimeline timeline = timeline(plan);
        for (int rank = 0; rank < ranks; rank++) {
            assertTrue(plan.peakLiveActivations(rank) <= 2 * ranks, "rank " + rank);
        }
        if (size.microbatches >= 2 * ranks - 1) {
            for (int rank = 0; rank < ranks; rank++) {
                assertEquals(rank, timeline.spans().get(rank).getFirst().start());
                assertEquals(
                        6 * size.microbatches + rank,
                        timeline.spans().get(rank).getLast().end());
            }
            assertEquals(0, timeline.longestInnerIdle());
            assertEquals((ranks - 1.0) / (6 * size.microbatches + ranks - 1), timeline.bubbleFraction(), TOLERANCE);
        } else {
            PipelinePlan h1 = PipelinePlan.of(new ZeroBubbleH1(), ranks, size.microbatches);
            assertTrue(timeline.total() <= 2 * timeline(h1).total(), "units are half as long");
        }
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void interleaved(Size size) {
        for (int chunks = 2; chunks <= 4; chunks++) {
            for (int group : groups(size)) {
                PipelinePlan plan = PipelinePlan.of(new Interleaved(chunks, group), size.ranks, size.microbatches);
                PipelineTimeline timeline = timeline(plan);
                for (int rank = 0; rank < size.ranks; rank++) {
                    int all = size.microbatches * chunks;
                    int expected = Math.min(2 * (size.ranks - rank - 1) + (chunks - 1) * group + 1, all);
                    assertEquals(expected, plan.peakLiveActivations(rank), "rank " + rank + ", group " + group);
                }
                if (group == size.ranks && size.microbatches % group == 0) {
                    assertEquals(
                            (size.ranks - 1.0) / (chunks * size.microbatches), timeline.bubbleOverIdeal(), TOLERANCE);
                }
            }
        }
    }

    /** That this many microbatches allow. */
    private static List<Integer> groups(Size size) {
        var groups = new ArrayList<Integer>();
        for (int group = size.ranks; group <= size.microbatches; group++) {
            int rest = size.microbatches % group;
            if (rest == 0 || rest >= size.ranks) {
                groups.add(group);
            }
        }
        return groups;
    }
}
