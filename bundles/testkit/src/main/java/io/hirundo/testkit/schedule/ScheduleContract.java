package io.hirundo.testkit.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.ActionTimes;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.testkit.bench.Clause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Contract tests for a {@link PipelineSchedule}, on pipelines of 1 to 8 ranks and steps of 1 to 33 microbatches. {@link PipelinePlan}
 * checks the same of every plan before a run; a contract test finds the shapes that fail, and compares what the schedule claims.
 */
public interface ScheduleContract {
    /** A new schedule, always with the same options. */
    PipelineSchedule schedule();

    /** Whether the schedule has a plan for this shape. It must reject all others. */
    default boolean supports(PipelineShape shape) {
        return true;
    }

    /**
     * The claim of peak memory: live activations of a rank, at most, counted per chunk and microbatch from forward to backward-weight
     * ({@link PipelinePlan#peakLiveActivations}).
     */
    int mostLiveActivations(PipelineShape shape, int rank);

    /**
     * The claim of lost time, at most: {@link io.hirundo.schedule.PipelineTimeline#bubbleOverIdeal} where forward, backward-input and
     * backward-weight of a stage take equally long and transfers no time. Without a claim, infinity.
     */
    default double mostBubble(PipelineShape shape) {
        return Double.POSITIVE_INFINITY;
    }

    @Clause(
            value =
                    "Each rank has one forward, one backward-input and one backward-weight of every microbatch and chunk",
            remedy =
                    "plan(): loops over microbatches and chunks at their ends, and what is left after the steady state")
    default void everyActionOccursOnce() {
        for (PipelineShape shape : shapes(true)) {
            var expected = new TreeMap<String, Integer>();
            for (Action.Kind kind : Action.Kind.values()) {
                for (int microbatch = 0; microbatch < shape.microbatches(); microbatch++) {
                    for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                        expected.put(new Action(kind, microbatch, chunk).label(), 1);
                    }
                }
            }
            List<List<Action>> plan = planned(shape);
            assertEquals(shape.ranks(), plan.size(), () -> "lists of actions, " + shape);
            for (int rank = 0; rank < shape.ranks(); rank++) {
                Map<String, Integer> counts = new TreeMap<>();
                plan.get(rank).forEach(action -> counts.merge(action.label(), 1, Integer::sum));
                String where = "actions of rank " + rank + " by number, " + shape;
                assertEquals(expected, counts, where);
            }
        }
    }

    @Clause(
            value =
                    "Ranks that run their actions in order never wait for each other in a circle: forwards need the previous stage,"
                            + " backward-inputs the next stage and their forward, backward-weights their backward-input",
            remedy =
                    "plan(): the message names the waiting ranks; earlier ranks need longer warm-ups. stage(): one stage for each rank and chunk")
    default void noRankWaitsForEver() {
        for (PipelineShape shape : shapes(true)) {
            try {
                PipelinePlan.of(schedule(), shape.ranks(), shape.microbatches());
            } catch (ConfigurationException rejected) {
                throw new AssertionError(shape + ": " + rejected.getMessage(), rejected);
            }
        }
    }

    @Clause(
            value =
                    "No rank has more live activations than claimed, and on the most ranks some rank has as many: they decide whether a model fits",
            remedy =
                    "plan(): a rank's warm-up, and how long backward-weights are delayed; mostLiveActivations() of the test")
    default void activationsAreAsClaimed() {
        List<PipelineShape> shapes = shapes(true);
        int mostRanks = shapes.getLast().ranks();
        boolean reached = false;
        for (PipelineShape shape : shapes) {
            PipelinePlan plan = PipelinePlan.of(schedule(), shape.ranks(), shape.microbatches());
            for (int rank = 0; rank < shape.ranks(); rank++) {
                int live = plan.peakLiveActivations(rank);
                int claimed = mostLiveActivations(shape, rank);
                String found =
                        "live activations of rank " + rank + ": " + live + ", claimed are " + claimed + ", " + shape;
                assertTrue(live <= claimed, found);
                reached |= shape.ranks() == mostRanks && live == claimed;
            }
        }
        assertTrue(
                reached,
                () -> "the claim is too large: on " + mostRanks
                        + " ranks, no rank of any shape has as many live activations");
    }

    @Clause(
            value = "The bubble is at most the claimed one",
            remedy = "plan(): the order of the steady state; mostBubble() of the test")
    default void bubbleIsAsClaimed() {
        for (PipelineShape shape : shapes(true)) {
            double bubble = PipelinePlan.of(schedule(), shape.ranks(), shape.microbatches())
                    .timeline(ActionTimes.EQUAL)
                    .bubbleOverIdeal();
            assertTrue(
                    bubble <= mostBubble(shape) + 1e-9,
                    () -> "bubble " + bubble + ", claimed is " + mostBubble(shape) + ", " + shape);
        }
    }

    @Clause(
            value =
                    "A plan depends on the shape only: every process plans the same step, and resumed runs the one of unbroken runs",
            remedy = "fields that plan() changes; random numbers; iteration over hash sets")
    default void plansFollowFromTheShape() {
        PipelineSchedule schedule = schedule();
        List<PipelineShape> shapes = shapes(true);
        List<List<List<Action>>> plans =
                shapes.stream().map(shape -> copy(schedule.plan(shape))).toList();
        for (int i = shapes.size() - 1; i >= 0; i--) {
            PipelineShape shape = shapes.get(i);
            assertEquals(plans.get(i), copy(schedule.plan(shape)), () -> "planned again, " + shape);
            assertEquals(plans.get(i), planned(shape), () -> "by a new schedule, " + shape);
        }
    }

    @Clause(
            value = "Unsupported shapes are rejected with one line, before the run",
            remedy = "plan(): ConfigurationException that names what to change")
    default void otherShapesAreRejected() {
        for (PipelineShape shape : shapes(false)) {
            var rejected =
                    assertThrows(ConfigurationException.class, () -> planned(shape), () -> "not supported: " + shape);
            assertFalse(rejected.getMessage().contains("\n"), () -> "not one line: " + rejected.getMessage());
        }
    }

    private List<List<Action>> planned(PipelineShape shape) {
        return copy(schedule().plan(shape));
    }

    private static List<List<Action>> copy(List<List<Action>> plan) {
        return plan.stream().map(List::copyOf).toList();
    }

    /** Those that are supported, or not. */
    private List<PipelineShape> shapes(boolean supported) {
        int chunks = schedule().chunks();
        var shapes = new ArrayList<PipelineShape>();
        for (int ranks = 1; ranks <= 8; ranks++) {
            int[] microbatches = {1, 2, 3, 4, 7, 2 * ranks - 1, 2 * ranks, 3 * ranks + 1, 33};
            for (int count : IntStream.of(microbatches).sorted().distinct().toArray()) {
                var shape = new PipelineShape(ranks, chunks, count);
                if (supports(shape) == supported) {
                    shapes.add(shape);
                }
            }
        }
        assertTrue(!supported || !shapes.isEmpty(), "supports() says that no shape has a plan");
        return shapes;
    }
}
