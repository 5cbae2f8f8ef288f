package io.hirundo.testkit.kernel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.kernel.host.HostWorkers;
import io.hirundo.testkit.fabric.Substitute;
import java.util.Optional;

/** A backend whose devices run the tasks of a kernel in reverse order. */
public record ReversedTasks(ComputeBackend base) implements WrappedBackend {
    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        Device device = base.open(ordinal, ledger);
        return Substitute.like(
                Device.class,
                device,
                "adapt",
                (real, arguments) -> ((Optional<?>) real.call())
                        .map(found -> found instanceof HostWorkers host ? reversed(host) : found));
    }

    private static HostWorkers reversed(HostWorkers host) {
        return (tasks, body) -> host.run(tasks, task -> body.accept(tasks - 1 - task));
    }
}
