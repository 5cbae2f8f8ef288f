package io.hirundo.planner.internal.plan;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.engine.layout.Stages;
import io.hirundo.lib.engine.strategy.Strategies;
import io.hirundo.lib.run.config.RunConfiguration;
import io.hirundo.lib.run.fit.LayoutCheck;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Plans a run on the {@code meta} device, which mimics the configured device. The engine, model and schedule are those of the run, with
 * the same allocations in the same order, but no values are computed.
 */
public final class RunPlanner {
    private static final String COUNTING_DEVICE = "meta";

    /** The device whose driver and libraries take memory of their own. */
    private static final String GPU = "cuda";

    /** The fabric whose memory and work a plan counts. */
    private static final String COUNTED_FABRIC = "local";

    private final StrategyRegistry registry;

    public RunPlanner(StrategyRegistry registry) {
        this.registry = registry;
    }

    /** {@code watch}: an exception from it cancels the plan. */
    public RunForecast plan(RunConfiguration configuration, Strategies strategies, DryRun.Watch watch) {
        ComputeBackend machine = strategies.compute().device();
        ComputeBackend real = machine.sharedBy(configuration.mesh().mesh().ranks());
        MemoryProfile profile = real.memoryProfile();
        var options = Map.<String, Object>of(
                "deviceName", profile.deviceName(),
                "alignmentBytes", profile.alignmentBytes(),
                "workspaceBytes", profile.workspaceBytes(),
                "sumsQueryGradients", profile.sumsQueryGradients(),
                "missingKernels",
                        real.missingKernels().stream()
                                .map(Class::getSimpleName)
                                .sorted()
                                .toList());
        ComputeBackend counting = registry.create(ComputeBackend.class, new Choice(COUNTING_DEVICE, options), "plan");
        var planned = strategies.with(counting);
        var counted = DryRun.of(configuration, planned, watch);
        var asValues =
                counted.sendsFp8() ? DryRun.of(configuration, planned.withUnquantizedTransfers(), watch) : counted;
        String fabric = configuration.mesh().fabric().name();
        return new RunForecast(
                configuration.run().name(),
                profile.deviceName(),
                memoryBytes(real),
                memoryBytes(machine),
                counted,
                asValues,
                fabric.equals(COUNTED_FABRIC) ? "" : fabric,
                uncounted(configuration, counted),
                stages(configuration, strategies),
                LayoutCheck.warnings(configuration, strategies));
    }

    private static UncountedMemory uncounted(RunConfiguration configuration, DryRun.Counted counted) {
        long peakBytes = counted.ranks().stream()
                .mapToLong(DryRun.OfRank::peakTotalBytes)
                .max()
                .orElse(0);
        return configuration.device().name().equals(GPU)
                ? UncountedMemory.ofGpu(configuration.mesh().mesh(), peakBytes)
                : UncountedMemory.NONE;
    }

    private static RunForecast.Stages stages(RunConfiguration configuration, Strategies strategies) {
        var mesh = configuration.mesh();
        var spec = strategies.model().architecture().describe();
        var schedule = strategies.parallel().schedule();
        var blocks = Stages.of(spec, configuration.stages(), schedule, mesh.pipeline());
        return new RunForecast.Stages(
                mesh.mesh(),
                Stages.describe(spec, blocks, schedule, mesh.mesh()).stream()
                        .map(TrainingEvent.Stage::blocks)
                        .toList(),
                Arrays.stream(MemoryCategory.values())
                        .collect(Collectors.toMap(
                                category -> category, category -> MemoryRemedy.of(category, configuration))));
    }

    private static long memoryBytes(ComputeBackend backend) {
        List<DeviceInfo> devices = backend.devices();
        return devices.isEmpty() ? 0 : devices.getFirst().memoryBytes();
    }
}
