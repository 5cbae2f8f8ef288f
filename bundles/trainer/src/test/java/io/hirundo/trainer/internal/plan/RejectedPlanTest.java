package io.hirundo.trainer.internal.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.strategy.StrategyResolver;
import io.hirundo.planner.internal.plan.DryRun;
import io.hirundo.planner.internal.plan.RunPlanner;
import io.hirundo.trainer.internal.fixture.Examples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A plan rejects what the run's device has no kernels for, with the run's message. */
class RejectedPlanTest {
    private static ConfigurationException rejection(String assignment, String family) {
        RunConfiguration configuration =
                Examples.read("llama-3.1-405b", "mesh.data=1", "training.globalBatch=16", assignment);
        var backend = new MetaFactory().create(new MetaOptions("H200", 64, 0, false, 0, null, List.of(family)));
        try (var strategies = new StrategyResolver(Examples.STRATEGIES).resolve(configuration)) {
            var planner = new RunPlanner(Examples.STRATEGIES);
            return assertThrows(
                    ConfigurationException.class,
                    () -> planner.plan(configuration, strategies.with(backend), DryRun.Watch.NONE));
        }
    }

    @Test
    void rejectsMomentsIn8Bits() {
        assertEquals(
                "optimizer.options.eightBitState: H200 has no AdamW8BitKernels; set it to false",
                rejection("optimizer.options.eightBitState=true", "AdamW8BitKernels")
                        .getMessage());
    }

    @Test
    void namesTheFamiliesThatMayBeMissing() {
        var rejection = assertThrows(
                ConfigurationException.class,
                () -> new MetaFactory().create(new MetaOptions("H200", 64, 0, false, 0, null, List.of("GemmKernels"))));
        assertTrue(
                rejection
                        .getMessage()
                        .startsWith("device.options.missingKernels: GemmKernels is wrong (allowed: BiasKernels, "),
                rejection::getMessage);
    }
}
