package io.hirundo.cli.internal.doctor;

import io.hirundo.HirundoException;
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

/** Lists the devices that can compute, and says why NVIDIA GPUs cannot. */
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
        List<String> backends = registry.list().stream()
                .filter(info -> info.kind().equals("device"))
                .map(StrategyInfo::name)
                .toList();
        backends.forEach(backend -> findings.addAll(look(backend)));
        if (!backends.contains(CUDA)) {
            findings.add(new Finding(State.ABSENT, "Device cuda", withoutCuda()));
        }
        return findings;
    }

    private List<Finding> look(String backend) {
        String subject = "Device " + backend;
        try {
            var devices = registry.create(ComputeBackend.class, Choice.of(backend), "device")
                    .devices();
            return devices.isEmpty()
                    ? List.of(new Finding(State.ABSENT, subject, "no such device on this machine"))
                    : devices.stream().map(DeviceCheck::found).toList();
        } catch (HirundoException failure) {
            return List.of(new Finding(State.BAD, subject, failure.getMessage()));
        }
    }

    private static Finding found(DeviceInfo device) {
        String memory = device.memoryBytes() == Long.MAX_VALUE
                ? "no memory limit"
                : String.format(Locale.ROOT, "%.1f GiB", device.memoryBytes() / 0x1p30);
        return new Finding(
                State.GOOD, "Device " + device.backend(), device.name() + ", " + device.arch() + ", " + memory);
    }

    private static String withoutCuda() {
        String bundle = "no bundle of this profile provides it (use --profile cuda)";
        return Files.exists(Path.of("/dev/nvidiactl"))
                ? "there is an NVIDIA driver, but " + bundle
                : bundle + ", and there is no NVIDIA driver (/dev/nvidiactl)";
    }
}
