package io.hirundo.device;

import org.osgi.annotation.versioning.ConsumerType;

/** Times the kernels launched between {@link Device#timeKernels} and {@link #close}. */
@ConsumerType
public interface KernelTimer extends AutoCloseable {
    /**
     * Waits for all kernels launched so far and returns their times.
     *
     * @throws io.hirundo.DeviceException if the device fails
     * @throws IllegalStateException if this timer is closed
     */
    KernelTimes times();

    @Override
    void close();
}
