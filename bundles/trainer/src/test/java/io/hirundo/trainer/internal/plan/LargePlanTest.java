package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.ConfigurationException;
import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.planner.internal.plan.RunForecast;
import io.hirundo.planner.internal.plan.RunPlanner;
import io.hirundo.trainer.internal.fixture.Examples;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Plans of published runs on thousands of GPUs take seconds, because they run a few ranks only. Here with four microbatches a step, because
 * neither the kinds of ranks nor the bytes of their weights, gradients and moments depend on how many there are.
 */
class LargePlanTest {
    @ParameterizedTest
    @CsvSource({"llama-3-70b, 256, 4, 16", "llama-3.1-405b, 16384, 16, 128"})
    void runsOneRankOfEachKind(String example, int ranks, int kinds, int data) {
        RunConfiguration configuration =
                Examples.read(example, "training.globalBatch=" + 4 * data, "evaluation.samples=" + data);
        var counts = new Counts();
        try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
            RunForecast forecast = new RunPlanner(Examples.STRATEGIES).plan(configuration, strategies, counts);
            assertEquals(ranks, forecast.counted().ranks().size());
            // Of zero1 in bf16; 6.75 with 16 data ranks. Norms are on each tensor rank, and slices are padded.
            double bytesPerParameter =
                    (double) ofAllRanks(forecast) / data / forecast.counted().parameters();
            assertEquals(6 + 12.0 / data, bytesPerParameter, 1e-3);
        }
        assertEquals(kinds, counts.different);
        // Two steps and a validation of each.
        assertEquals(3 * kinds, counts.steps.get());
    }

    private static long ofAllRanks(RunForecast forecast) {
        return forecast.counted().ranks().stream()
                .mapToLong(LargePlanTest::state)
                .sum();
    }

    private static long state(DryRun.OfRank rank) {
        return Stream.of(MemoryCategory.WEIGHTS, MemoryCategory.GRADIENTS, MemoryCategory.OPTIMIZER)
                .mapToLong(rank.peakBytes()::get)
                .sum();
    }

    @Test
    void rejectsMoreRanksThanItCounts() {
        RunConfiguration configuration =
                Examples.read("llama-3.1-405b", "mesh.data=1024", "training.globalBatch=16384");
        try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
            var planner = new RunPlanner(Examples.STRATEGIES);
            var failure = assertThrows(
                    ConfigurationException.class, () -> planner.plan(configuration, strategies, DryRun.Watch.NONE));
            assertEquals(
                    "mesh: 131,072 ranks; a plan counts up to 65,536; lower mesh.data, whose ranks differ only in their shards of optimizer state",
                    failure.getMessage());
        }
    }

    private static final class Counts implements DryRun.Watch {
        private final AtomicInteger steps = new AtomicInteger();
        private volatile int different;

        @Override
        public void begin(int ranks, int ofDifferent, int stepsOfEach) {
            different = ofDifferent;
        }

        @Override
        public void stepDone() {
            steps.incrementAndGet();
        }

        @Override
        public void check() {}
    }
}
