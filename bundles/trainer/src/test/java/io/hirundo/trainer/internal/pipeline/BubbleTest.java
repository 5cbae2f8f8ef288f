package io.hirundo.trainer.internal.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.schedule.Action.Kind;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.trainer.internal.fixture.TestParallel;
import io.hirundo.trainer.internal.fixture.TimedModel;
import io.hirundo.trainer.internal.pipeline.BubbleMeasurement.Step;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The measured bubble of a schedule equals the theory if forward and both halves of the backward pass take equally long. */
@Isolated("measures time")
class BubbleTest {
    private static final int RANKS = 4;
    private static final int MICROBATCHES = 8;
    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final double POINTS = 0.03;

    /** Other work on the machine disturbs steps, so the shortest of many counts: the machine need let only one through. */
    private static final long TRY_NANOS = TimeUnit.MINUTES.toNanos(2);

    /**
     * By theory a rank waits (P - 1) times a fraction of a microbatch's time: 1 in gpipe and 1f1b, 1 / chunks in interleaved, F + B - W = 1/3
     * in zb-h1, and the forward pass of a chunk = 1/6 in zb-v.
     */
    @ParameterizedTest
    @CsvSource({"gpipe,1", "1f1b,1", "interleaved,2", "zb-h1,3", "zb-v,6"})
    void bubbleEqualsTheory(String schedule, double parts) {
        double theory = (RANKS - 1) / (parts * MICROBATCHES + RANKS - 1);
        try (var measurement =
                new BubbleMeasurement(TestParallel.schedule(schedule), RANKS, MICROBATCHES, WORK_NANOS)) {
            assertEquals(theory, measurement.plan().timeline(ActionTimes.EQUAL).bubbleFraction(), 1e-9);
            Step shortest = measurement.step();
            assertFollows(measurement.plan(), shortest);
            long start = System.nanoTime();
            while (Math.abs(shortest.bubbleFraction(RANKS) - theory) > POINTS
                    && System.nanoTime() - start < TRY_NANOS) {
                Step next = measurement.step();
                shortest = next.totalNanos() < shortest.totalNanos() ? next : shortest;
            }
            assertEquals(theory, shortest.bubbleFraction(RANKS), POINTS);
        }
    }

    private record Work(Kind kind, int stage) {}

    /** Every rank executed its plan in order. */
    private static void assertFollows(PipelinePlan plan, Step step) {
        for (int rank = 0; rank < plan.shape().ranks(); rank++) {
            int here = rank;
            assertEquals(
                    plan.actions(rank).stream()
                            .map(action -> new Work(action.kind(), plan.stage(here, action.chunk())))
                            .toList(),
                    step.spans().stream()
                            .filter(span -> plan.rank(span.block()) == here)
                            .sorted(Comparator.comparing(TimedModel.Span::startNanos))
                            .map(span -> new Work(span.kind(), span.block()))
                            .toList());
        }
    }
}
