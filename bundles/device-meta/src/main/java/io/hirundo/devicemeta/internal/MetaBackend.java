package io.hirundo.devicemeta.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryProfile;
import io.hirundo.devicemeta.internal.kernel.MetaKernels;
import java.util.List;
import java.util.Set;

/** One counting device with the memory profile of another device. */
record MetaBackend(MetaOptions options) implements ComputeBackend {
    @Override
    public List<DeviceInfo> devices() {
        long memoryBytes = options.memoryBytes() == 0 ? Long.MAX_VALUE : options.memoryBytes();
        return List.of(new DeviceInfo("meta", 0, options.deviceName(), "counts only", memoryBytes));
    }

    @Override
    public MemoryProfile memoryProfile() {
        return new MemoryProfile(
                options.deviceName(), options.alignmentBytes(), options.workspaceBytes(), options.sumsQueryGradients());
    }

    @Override
    public Set<Class<?>> missingKernels() {
        return MetaKernels.named(options.missingKernels());
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        if (ordinal != 0) {
            throw new DeviceException("device meta has no ordinal " + ordinal + ", only 0");
        }
        return new MetaDevice(devices().getFirst(), memoryProfile(), options.speed(), missingKernels(), ledger);
    }
}
