package io.hirundo.testkit.kernel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.DeviceInfo;
import io.hirundo.device.MemoryProfile;
import java.util.List;
import java.util.Set;

/** A backend that opens the devices of another one, changed. */
interface WrappedBackend extends ComputeBackend {
    ComputeBackend base();

    @Override
    default List<DeviceInfo> devices() {
        return base().devices();
    }

    @Override
    default MemoryProfile memoryProfile() {
        return base().memoryProfile();
    }

    @Override
    default Set<Class<?>> missingKernels() {
        return base().missingKernels();
    }
}
