package io.hirundo.device;

import java.util.List;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/** A device type: {@code cpu}, {@code meta}, {@code cuda}. Strategy kind {@code device}. */
@ConsumerType
public interface ComputeBackend {
    /** The devices of this machine; empty if there are none. */
    List<DeviceInfo> devices();

    /**
     * This backend for a process in which so many ranks each open a device. Ranks that share a machine's cores and memory get an
     * equal part.
     */
    default ComputeBackend sharedBy(int ranks) {
        return this;
    }

    /** Memory accounting rules of this backend's devices as configured. Opens nothing. */
    MemoryProfile memoryProfile();

    /**
     * Those of {@link io.hirundo.kernel.KernelFamilies#optional} that this backend's devices do not have themselves, so that a plan rejects what a
     * run would. Families outside that list have no declaration here: a device must not bring one itself ({@link io.hirundo.kernel.Kernels#find}),
     * because the check before a run would not know it. Opens nothing.
     */
    default Set<Class<?>> missingKernels() {
        return Set.of();
    }

    /**
     * Opens a device and reserves its workspace.
     *
     * @param ordinal a device of {@link #devices()}
     * @param ledger accounts for every byte
     * @throws io.hirundo.DeviceException if the device cannot be used
     */
    Device open(int ordinal, DeviceLedger ledger);
}
