package io.hirundo.parallelpp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import io.hirundo.strategy.NoOptions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each schedule looks like, against written ones. */
class SchedulesTest {
    private static final PipelineSchedule ONE_F_ONE_B = new OneForwardOneBackwardFactory().create(new NoOptions());
    private static final PipelineSchedule GPIPE = new GPipeFactory().create(new NoOptions());
    private static final PipelineSchedule ZB_H1 = new ZeroBubbleH1Factory().create(new NoOptions());
    private static final PipelineSchedule ZB_V = new ZeroBubbleVFactory().create(new NoOptions());

    /** F forward, B input half, W weight half, each with its microbatch. */
    private static List<String> drawn(PipelineSchedule schedule, int ranks, int microbatches) {
        return schedule.plan(new PipelineShape(ranks, schedule.chunks(), microbatches)).stream()
                .map(actions -> actions.stream().map(Action::label).collect(Collectors.joining(" ")))
                .toList();
    }

    private static String rejection(PipelineSchedule schedule, int ranks, int microbatches) {
        return assertThrows(ConfigurationException.class, () -> PipelinePlan.of(schedule, ranks, microbatches))
                .getMessage();
    }

    @Test
    void oneStageAccumulatesMicrobatchByMicrobatch() {
        assertEquals(List.of("F0 B0 W0 F1 B1 W1 F2 B2 W2"), drawn(ONE_F_ONE_B, 1, 3));
        assertEquals(List.of("F0 B0 W0 F1 B1 W1 F2 B2 W2"), drawn(ZB_H1, 1, 3));
    }

    @Test
    void oneForwardOneBackward() {
        assertEquals(
                List.of(
                        "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3",
                        "F0 F1 B0 W0 F2 B1 W1 F3 B2 W2 B3 W3",
                        "F0 B0 W0 F1 B1 W1 F2 B2 W2 F3 B3 W3"),
                drawn(ONE_F_ONE_B, 3, 4));
    }

    @Test
    void fewerMicrobatchesThanRanks() {
        assertEquals(
                List.of("F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1", "F0 B0 W0 F1 B1 W1"),
                drawn(ONE_F_ONE_B, 4, 2));
    }

    @Test
    void gpipeRunsAllForwardsFirst() {
        assertEquals(List.of("F0 F1 B0 W0 B1 W1", "F0 F1 B0 W0 B1 W1"), drawn(GPIPE, 2, 2));
    }

    /** Figure 3 of arXiv 2401.10241, above: four ranks, the last keeping three backward-weights back. */
    @Test
    void zeroBubbleH1() {
        assertEquals(
                List.of(
                        "F0 F1 F2 F3 B0 W0 F4 B1 W1 F5 B2 W2 B3 W3 B4 W4 B5 W5",
                        "F0 F1 F2 B0 F3 B1 W0 F4 B2 W1 F5 B3 W2 B4 W3 B5 W4 W5",
                        "F0 F1 B0 F2 B1 F3 B2 W0 F4 B3 W1 F5 B4 W2 B5 W3 W4 W5",
                        "F0 B0 F1 B1 F2 B2 F3 B3 W0 F4 B4 W1 F5 B5 W2 W3 W4 W5"),
                drawn(ZB_H1, 4, 6));
    }

    @Test
    void zeroBubbleV() {
        assertEquals(
                List.of(
                        "F0 F1 F2 F0.1 B0.1 W0.1 F1.1 B1.1 W1.1 F3 B0 W0 F2.1 B2.1 W2.1 B1 W1 F3.1 B3.1 W3.1 B2 W2 B3 W3",
                        "F0 F0.1 F1 F1.1 B0.1 W0.1 F2 B0 W0 F2.1 B1.1 W1.1 F3 B1 W1 F3.1 B2.1 W2.1 B2 B3.1 B3 W2 W3.1 W3"),
                drawn(ZB_V, 2, 4));
    }

    /** Megatron-LM's table: P 2, G 3, M 5, V 2. */
    @Test
    void interleavedTable() {
        PipelineSchedule schedule = new InterleavedFactory().create(new InterleavedOptions(2, 3));
        for (List<Action> rank : schedule.plan(new PipelineShape(2, 2, 5))) {
            assertEquals("0120123434", digits(rank, Action.Kind.FORWARD, false));
            assertEquals("0001110011", digits(rank, Action.Kind.FORWARD, true));
            assertEquals("0120123434", digits(rank, Action.Kind.BACKWARD_INPUT, false));
            assertEquals("1110001100", digits(rank, Action.Kind.BACKWARD_INPUT, true));
            assertEquals("1110001100", digits(rank, Action.Kind.BACKWARD_WEIGHT, true));
        }
    }

    private static String digits(List<Action> actions, Action.Kind kind, boolean chunk) {
        return actions.stream()
                .filter(action -> action.kind() == kind)
                .map(action -> Integer.toString(chunk ? action.chunk() : action.microbatch()))
                .collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 5", "4, 8", "8, 3", "8, 64"})
    void warmUpMatchesMegatron(int ranks, int microbatches) {
        List<List<Action>> plan = ONE_F_ONE_B.plan(new PipelineShape(ranks, 1, microbatches));
        for (int rank = 0; rank < ranks; rank++) {
            // The first forward of the steady phase comes before the first backward as well, where one is left.
            int warmup = Math.min(ranks - rank - 1, microbatches);
            assertEquals(Math.min(warmup + 1, microbatches), forwardsFirst(plan.get(rank)), "rank " + rank);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 0, 3", "2, 2, 3, 5", "4, 2, 0, 4", "4, 3, 5, 10", "8, 4, 16, 64"})
    void interleavedWarmUpMatchesMegatron(int ranks, int chunks, int group, int microbatches) {
        PipelineSchedule schedule = new InterleavedFactory().create(new InterleavedOptions(chunks, group));
        List<List<Action>> plan = schedule.plan(new PipelineShape(ranks, chunks, microbatches));
        int size = group == 0 ? ranks : group;
        for (int rank = 0; rank < ranks; rank++) {
            int warmup = Math.min(2 * (ranks - rank - 1) + (chunks - 1) * size, microbatches * chunks);
            assertEquals(Math.min(warmup + 1, microbatches * chunks), forwardsFirst(plan.get(rank)), "rank " + rank);
        }
    }

    private static long forwardsFirst(List<Action> actions) {
        return actions.stream()
                .takeWhile(action -> action.kind() == Action.Kind.FORWARD)
                .count();
    }

    @Test
    void interleavedRejectsOtherMicrobatchCounts() {
        assertEquals(
                "schedule interleaved: 3 microbatches are too few for a group of 4; use at least 4, or fewer ranks",
                rejection(new Interleaved(2, 0), 4, 3));
        assertEquals(
                "schedule interleaved: 7 microbatches are too few for a group of 8; use at least 8, or a smaller group",
                rejection(new Interleaved(2, 8), 4, 7));
        assertEquals(
                "schedule interleaved: group: 3 is wrong (allowed: 0, or at least the 4 ranks of the pipeline)",
                rejection(new Interleaved(2, 3), 4, 8));
        assertEquals(
                "schedule interleaved: of 13 microbatches in groups of 5, the last group has 3, but needs at least one for each of the 4 ranks; use 10 or 14 microbatches",
                rejection(new Interleaved(2, 5), 4, 13));
    }

    @Test
    void everyScheduleRejectsOtherChunkCounts() {
        for (PipelineSchedule schedule : List.of(ONE_F_ONE_B, GPIPE, ZB_H1)) {
            var failure = assertThrows(ConfigurationException.class, () -> schedule.plan(new PipelineShape(2, 2, 4)));
            assertEquals(
                    "supports one model chunk per rank, not 2",
                    failure.getMessage().replaceFirst(".*: ", ""));
        }
        for (PipelineSchedule schedule : List.of(ZB_V, new Interleaved(2, 0))) {
            var failure = assertThrows(ConfigurationException.class, () -> schedule.plan(new PipelineShape(2, 1, 4)));
            assertEquals(
                    "supports 2 model chunks per rank, not 1",
                    failure.getMessage().replaceFirst(".*: ", ""));
        }
    }
}
