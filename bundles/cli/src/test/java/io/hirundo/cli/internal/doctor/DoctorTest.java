package io.hirundo.cli.internal.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.ExitCode;
import io.hirundo.command.Check;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.strategy.Choice;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyInfo;
import io.hirundo.strategy.StrategyRegistry;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoctorTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void reportsADeviceWithoutMemoryLimit() {
        assertEquals(ExitCode.OK, report(new DeviceCheck(new Backends("meta", Long.MAX_VALUE))));
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("none, none, no memory limit"), printed::toString);
    }

    @Test
    void memoryIsInGiB() {
        assertEquals(ExitCode.OK, report(new DeviceCheck(new Backends("cpu", 3L << 29))));
        assertTrue(printed.toString(StandardCharsets.UTF_8).contains("none, none, 1.5 GiB"), printed::toString);
    }

    @Test
    void reportsAFailingBackendAsAFinding() {
        assertEquals(ExitCode.CONFIGURATION, report(new DeviceCheck(new Backends("broken", 0))));
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("WRONG   Device broken the driver does not answer"), text);
        assertTrue(text.contains("no bundle of this profile provides it (use --profile cuda)"), text);
        assertTrue(text.lines().allMatch(line -> line.length() <= 80), text);
    }

    @Test
    void runsOtherChecksAfterAFailure() {
        Check failing = () -> {
            throw new IllegalStateException("a check that fails on purpose");
        };
        Check good = () -> List.of(new Check.Finding(Check.State.GOOD, "After it", "is there"));

        assertEquals(ExitCode.CONFIGURATION, report(failing, good));
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.replaceAll("\n +", " ").contains("a check that fails on purpose"), text);
        assertTrue(text.contains("After it"), text);
    }

    private int report(Check... checks) {
        return new DoctorCommand(List.of(checks)).report(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    /** One backend of a device without properties; one called broken fails. */
    private record Backends(String backend, long memoryBytes) implements StrategyRegistry, ComputeBackend {
        @Override
        public List<StrategyInfo> list() {
            return List.of(new StrategyInfo("device", backend, "test", NoOptions.class));
        }

        @Override
        public <S> S create(Class<S> contract, Choice choice, String path) {
            return contract.cast(this);
        }

        @Override
        public List<DeviceInfo> devices() {
            if (backend.equals("broken")) {
                throw new DeviceException("the driver does not answer");
            }
            return List.of(new DeviceInfo(backend, 0, "none", "none", memoryBytes));
        }

        @Override
        public MemoryProfile memoryProfile() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Device open(int ordinal, DeviceLedger ledger) {
            throw new UnsupportedOperationException();
        }
    }
}
