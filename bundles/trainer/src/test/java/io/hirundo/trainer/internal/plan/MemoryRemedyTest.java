package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.MemoryCategory;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.planner.internal.plan.RunForecast;
import io.hirundo.planner.internal.plan.RunPlanner;
import io.hirundo.trainer.internal.fixture.Examples;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Remedies lower the memory that they are for. */
class MemoryRemedyTest {
    private static final List<String> TWO_DATA_RANKS = List.of("mesh.data=2", "training.microBatch=1");

    /**
     * {@code setting}: changes the plan before; {@code remedy}: how the advice begins; {@code followed}: settings that follow it, if it does not
     * begin with one.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "WEIGHTS       | mesh.dataParallel=zero1                                      | mesh.dataParallel=fsdp               |",
                "WEIGHTS       | mesh.dataParallel=fsdp                                       | raise mesh.data, mesh.tensor         | mesh.data=4",
                "WEIGHTS       | mesh.dataParallel={name: fsdp, options: {shardSize: 1}}      | raise mesh.dataParallel.options.shardSize, | mesh.dataParallel=fsdp",
                "GRADIENTS     | mesh.dataParallel=zero1                                      | mesh.dataParallel=zero2              |",
                "GRADIENTS     | mesh.dataParallel={name: zero2, options: {reduceEvery: step}} | mesh.dataParallel.options.reduceEvery=microbatch |",
                "GRADIENTS     | mesh.dataParallel=zero2                                      | raise mesh.data, mesh.tensor         | mesh.tensor=2",
                "OPTIMIZER     | mesh.dataParallel=zero1                                      | raise mesh.data,                     | mesh.data=4",
                "ACTIVATIONS   | training.recompute=none                                      | training.recompute=selective         |",
                "ACTIVATIONS   | training.recompute=selective                                 | training.recompute=full              |",
                "ACTIVATIONS   | training.recompute=full                                      | raise mesh.context,                  | mesh.context=2",
                "COMMUNICATION | mesh.dataParallel=fsdp                                       | mesh.dataParallel.options.overlap=false |",
                "COMMUNICATION | mesh.tensor=2                                                | lower training.microBatch or training.sequenceTokens | training.sequenceTokens=32",
            })
    void lowersItsCategory(MemoryCategory category, String setting, String remedy, String followed) {
        RunForecast before = plan(setting);
        String advice = before.stages().remedies().get(category);
        assertTrue(advice.startsWith(remedy), advice);
        RunForecast after = plan(setting, followed == null ? advice.split("[ ,]")[0] : followed);
        assertTrue(
                peak(after, category) < peak(before, category),
                peak(after, category) + " instead of " + peak(before, category));
    }

    private static RunForecast plan(String... settings) {
        RunConfiguration configuration = Examples.read(
                "synthetic",
                Stream.concat(TWO_DATA_RANKS.stream(), Stream.of(settings)).toArray(String[]::new));
        try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
            return new RunPlanner(Examples.STRATEGIES).plan(configuration, strategies, DryRun.Watch.NONE);
        }
    }

    private static long peak(RunForecast forecast, MemoryCategory category) {
        return forecast.counted().ranks().getFirst().peakBytes().get(category);
    }

    @Test
    void advisesToReduceEachMicrobatchOnlyWhereThatShardsGradients() {
        String step = "mesh.dataParallel={name: zero2, options: {reduceEvery: step}}";
        assertTrue(ofGradients(step, "training.globalBatch=2").startsWith("raise mesh.data,"), "one microbatch");
        String alone = "mesh.dataParallel={name: fsdp, options: {reduceEvery: step, shardSize: 1}}";
        assertTrue(
                ofGradients(alone).startsWith("raise mesh.dataParallel.options.shardSize,"),
                "one rank in each shard group");
        String hybrid = "mesh.dataParallel={name: fsdp, options: {reduceEvery: step, shardSize: 2}}";
        assertEquals(
                "mesh.dataParallel.options.reduceEvery=microbatch shards them over the shardSize ranks",
                ofGradients("mesh.data=4", hybrid));
    }

    private static String ofGradients(String... settings) {
        return plan(settings).stages().remedies().get(MemoryCategory.GRADIENTS);
    }
}
