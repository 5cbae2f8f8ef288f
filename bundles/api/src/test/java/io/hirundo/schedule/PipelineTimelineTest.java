package io.hirundo.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class PipelineTimelineTest {
    private static final Written TWO = Written.of("F0 B0 W0", "F0 B0 W0");

    @Test
    void fusedBackwardSendsInputGradientAtItsEnd() {
        PipelineTimeline fused = TWO.plan(2, 1).timeline(ActionTimes.EQUAL);
        assertEquals(6, fused.total());
        assertEquals(1, fused.spans().get(1).getFirst().start());
        assertEquals(4, fused.spans().get(0).get(1).start());
        PipelineTimeline apart = TWO.unfused().plan(2, 1).timeline(ActionTimes.EQUAL);
        assertEquals(5, apart.total());
        assertEquals(3, apart.spans().get(0).get(1).start());
    }

    @Test
    void transfersDelayOtherRanksOnly() {
        var times = new ActionTimes(2, 3, 4, 0.5);
        PipelineTimeline timeline = TWO.plan(2, 1).timeline(times);
        assertEquals(2.5, timeline.spans().get(1).getFirst().start());
        assertEquals(4.5, timeline.spans().get(1).get(1).start());
        assertEquals(12, timeline.spans().get(0).get(1).start());
        assertEquals(19, timeline.total());
        // Transfers within a rank are free.
        PipelineTimeline alone = Written.v("F0 F0.1 B0.1 W0.1 B0 W0").plan(1, 1).timeline(times);
        assertEquals(18, alone.total());
    }

    @Test
    void computesBubbleFractionAndBubbleOverIdeal() {
        PipelineTimeline timeline = TWO.plan(2, 1).timeline(ActionTimes.EQUAL);
        assertEquals(3, timeline.busy(0));
        assertEquals(3, timeline.idle(1));
        assertEquals(0.5, timeline.bubbleFraction(), 1e-12);
        assertEquals(1, timeline.bubbleOverIdeal(), 1e-12);
        assertEquals(3, timeline.longestInnerIdle(), "rank 0 waits in the middle, rank 1 at both ends");
    }

    @Test
    void rejectsInvalidActionTimes() {
        assertThrows(IllegalArgumentException.class, () -> new ActionTimes(0, 1, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new ActionTimes(1, 1, 1, -1));
        assertThrows(IllegalArgumentException.class, () -> new ActionTimes(1, Double.NaN, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new ActionTimes(1, 1, Double.POSITIVE_INFINITY, 0));
    }
}
