package io.hirundo.cli.internal.doctor;

import io.hirundo.command.Check;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceInfo;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The devices that can compute, and the NVIDIA GPUs that cannot yet. */
@Component
public final class DeviceCheck implements Check {
  private static final String CUDA = "cuda";

  private final StrategyRegistry registry;

  @Activate
  public DeviceCheck(@Reference StrategyRegistry registry) {
    this.registry = registry;
  }

  @Override
  public List<Finding> look() {
    var findings = new ArrayList<Finding>();
    List<String> backends =
        registry.list().stream().filter(info -> info.kind().equals("device")).map(StrategyInfo::name).toList();
    for (String backend : backends) {
      var devices = registry.create(ComputeBackend.class, Choice.of(backend), "device").devices();
      devices.forEach(device -> findings.add(found(device)));
      if (devices.isEmpty()) {
        findings.add(new Finding(State.ABSENT, "Device " + backend, "no such device on this machine"));
      }
    }
    if (!backends.contains(CUDA)) {
      findings.add(new Finding(State.ABSENT, "Device cuda", withoutCuda()));
    }
    return findings;
  }

  private static Finding found(DeviceInfo device) {
    String text =
        String.format(
            Locale.ROOT, "%s, %s, %.1f GiB", device.name(), device.arch(), device.memoryBytes() / 0x1p30);
    return new Finding(State.GOOD, "Device " + device.backend(), text);
  }

  private static String withoutCuda() {
    String bundle = "no bundle of this profile offers it";
    return Files.exists(Path.of("/dev/nvidiactl"))
        ? "there is an NVIDIA driver, but " + bundle
        : bundle + ", and there is no NVIDIA driver (/dev/nvidiactl)";
  }
}
