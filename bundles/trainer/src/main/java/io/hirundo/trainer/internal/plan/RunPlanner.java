package io.hirundo.trainer.internal.plan;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryProfile;
import io.hirundo.mesh.Fabric;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyRegistry;
import io.hirundo.trainer.internal.config.RunConfiguration;
import io.hirundo.trainer.internal.layout.LayoutCheck;
import io.hirundo.trainer.internal.strategy.Strategies;
import java.util.List;
import java.util.Map;

/**
 * Plans a run on the {@code meta} device, which mimics the configured device. The trainer, model and schedule are those of the run, with
 * the same allocations in the same order, but no values are computed.
 */
public final class RunPlanner {
  private static final String COUNTING_DEVICE = "meta";

  /** Runs the ranks as threads, so that a plan starts no processes and uses no network. */
  private static final String COUNTING_FABRIC = "local";

  private final StrategyRegistry registry;

  public RunPlanner(StrategyRegistry registry) {
    this.registry = registry;
  }

  /** {@code watch}: an exception from it cancels the plan. */
  public RunForecast plan(RunConfiguration configuration, Strategies strategies, DryRun.Watch watch) {
    ComputeBackend machine = strategies.compute().backend();
    ComputeBackend real = machine.sharedBy(configuration.mesh().mesh().ranks());
    MemoryProfile profile = real.memoryProfile();
    var options =
        Map.<String, Object>of(
            "deviceName", profile.deviceName(),
            "alignmentBytes", profile.alignmentBytes(),
            "workspaceBytes", profile.workspaceBytes(),
            "sumsQueryGradients", profile.sumsQueryGradients());
    ComputeBackend counting =
        registry.create(ComputeBackend.class, new Choice(COUNTING_DEVICE, options), "plan");
    Fabric threads = registry.create(Fabric.class, Choice.of(COUNTING_FABRIC), "plan");
    var planned = strategies.with(counting, threads);
    var counted = DryRun.of(configuration, planned, watch);
    var asValues = counted.sendsFp8() ? DryRun.of(configuration, planned.withValuesTravelling(), watch) : counted;
    String fabric = configuration.mesh().fabric().name();
    return new RunForecast(
        configuration.run().name(), profile.deviceName(), memoryBytes(real), memoryBytes(machine), counted, asValues,
        fabric.equals(COUNTING_FABRIC) ? "" : fabric, LayoutCheck.warnings(configuration, strategies));
  }

  private static long memoryBytes(ComputeBackend backend) {
    List<DeviceInfo> devices = backend.devices();
    return devices.isEmpty() ? 0 : devices.getFirst().memoryBytes();
  }
}
