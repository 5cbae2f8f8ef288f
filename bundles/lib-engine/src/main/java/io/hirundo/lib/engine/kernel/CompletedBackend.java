package io.hirundo.lib.engine.kernel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A backend with the kernels of bundles. */
record CompletedBackend(ComputeBackend base, KernelChoice choice) implements ComputeBackend {
    @Override
    public List<DeviceInfo> devices() {
        return base.devices();
    }

    @Override
    public ComputeBackend sharedBy(int ranks) {
        return new CompletedBackend(base.sharedBy(ranks), choice);
    }

    @Override
    public MemoryProfile memoryProfile() {
        return base.memoryProfile();
    }

    @Override
    public Set<Class<?>> missingKernels() {
        Set<Class<?>> missing = new HashSet<>(base.missingKernels());
        missing.removeIf(choice::has);
        return missing;
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        return new CompletedDevice(base.open(ordinal, ledger), choice);
    }
}
