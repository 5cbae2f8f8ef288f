package io.hirundo.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipelinePlanTest {
    private static String rejection(Written schedule, int ranks, int microbatches) {
        return assertThrows(ConfigurationException.class, () -> schedule.plan(ranks, microbatches))
                .getMessage();
    }

    @Test
    void derivesTransfersFromPlan() {
        PipelinePlan plan = Written.v(
                        "F0 F1 F0.1 B0.1 W0.1 F1.1 B1.1 B0 W0 W1.1 B1 W1",
                        "F0 F1 F0.1 F1.1 B0.1 B0 W0.1 B1.1 B1 W0 W1.1 W1")
                .plan(2, 2);
        assertEquals(3, plan.stage(0, 1));
        assertEquals(1, plan.rank(2));
        assertEquals(1, plan.chunk(2));
        assertEquals(
                List.of("F0", "F1", "B0.1", "B1.1"),
                plan.messages(0, 1).stream().map(Action::label).toList());
        assertEquals(
                List.of("F0.1", "F1.1", "B0", "B1"),
                plan.messages(1, 0).stream().map(Action::label).toList());
        assertEquals(List.of(), plan.messages(1, 1));
        assertEquals(3, plan.peakLiveActivations(0));
        assertEquals(4, plan.peakLiveActivations(1));
    }

    @Test
    void fusesAdjacentHalvesIfAllowedOrOnFirstStage() {
        Written schedule = Written.of("F0 B0 F1 W0 B1 W1", "F0 B0 W0 F1 B1 W1");
        PipelinePlan fused = schedule.plan(2, 2);
        assertFalse(fused.isFused(0, 1), "another action lies between");
        assertFalse(fused.isFused(0, 0), "a forward");
        assertFalse(fused.isFused(1, 5), "the last");
        assertTrue(fused.isFused(0, 4));
        assertTrue(fused.isFused(1, 1));
        PipelinePlan apart = schedule.unfused().plan(2, 2);
        assertTrue(apart.isFused(0, 4), "the first stage");
        assertFalse(apart.isFused(1, 1));
    }

    @Test
    void rejectsMissingActions() {
        assertEquals("schedule: rank 1: W0 is missing", rejection(Written.of("F0 B0 W0", "F0 B0"), 2, 1));
        assertEquals("schedule: rank 0: F1 is missing", rejection(Written.of("F0 B0 W0"), 1, 2));
        assertEquals("schedule: the plan has 1 ranks, but the pipeline has 2", rejection(Written.of("F0 B0 W0"), 2, 1));
    }

    @Test
    void rejectsDuplicateAndForeignActions() {
        assertEquals("schedule: rank 0: F0 is planned twice", rejection(Written.of("F0 F0 B0 W0"), 1, 1));
        assertEquals(
                "schedule: rank 0: F1 is not among 1 microbatches of 1 chunks",
                rejection(Written.of("F0 F1 B0 W0"), 1, 1));
        assertEquals(
                "schedule: rank 0: B0.1 is not among 1 microbatches of 1 chunks",
                rejection(Written.of("F0 B0.1 W0"), 1, 1));
    }

    @Test
    void rejectsImpossibleOrderWithinRank() {
        assertEquals(
                "schedule: rank 1: B0 comes before F0, which it waits for",
                rejection(Written.of("F0 B0 W0", "B0 F0 W0"), 2, 1));
        assertEquals(
                "schedule: rank 0: W0 comes before B0, which it waits for", rejection(Written.of("F0 W0 B0"), 1, 1));
    }

    @Test
    void namesDeadlockedRanks() {
        // Rank 0 waits for its gradient before it sends what rank 1 needs first.
        assertEquals(
                "schedule: deadlock: rank 0 at B0 waits for B0 of rank 1, rank 1 at F1 waits for F1 of rank 0",
                rejection(Written.of("F0 B0 W0 F1 B1 W1", "F1 F0 B0 W0 B1 W1"), 2, 2));
        assertEquals(
                "schedule: deadlock: rank 0 at F0.1 waits for F0.1 of rank 1, rank 1 at F0.1 waits for F0 of rank 1",
                rejection(Written.v("F0 F0.1 B0.1 W0.1 B0 W0", "F0.1 F0 B0.1 W0.1 B0 W0"), 2, 1));
    }

    @Test
    void rejectsStageMapThatIsNotOneToOne() {
        PipelineSchedule same = new PipelineSchedule() {
            @Override
            public int stage(PipelineShape shape, int rank, int chunk) {
                return 0;
            }

            @Override
            public List<List<Action>> plan(PipelineShape shape) {
                return List.of(List.of(), List.of());
            }
        };
        assertEquals(
                "schedule: stage 0 is both chunk 0 of rank 0 and chunk 0 of rank 1",
                assertThrows(ConfigurationException.class, () -> PipelinePlan.of(same, 2, 1))
                        .getMessage());
        PipelineSchedule outside = new PipelineSchedule() {
            @Override
            public int stage(PipelineShape shape, int rank, int chunk) {
                return rank + 1;
            }

            @Override
            public List<List<Action>> plan(PipelineShape shape) {
                return List.of(List.of(), List.of());
            }
        };
        assertEquals(
                "schedule: chunk 0 of rank 1 is stage 2, but stages are 0 to 1",
                assertThrows(ConfigurationException.class, () -> PipelinePlan.of(outside, 2, 1))
                        .getMessage());
    }
}
