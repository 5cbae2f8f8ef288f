package io.hirundo.device;

import org.osgi.annotation.versioning.ProviderType;

/** Memory accounting of one device, and operation counts from devices that count instead of computing. Thread-safe. */
@ProviderType
public interface DeviceLedger {
    /**
     * Called before an allocation.
     *
     * @param bytes after rounding, see {@link MemoryProfile#allocationBytes}
     * @throws io.hirundo.DeviceException if the run's memory budget would be exceeded; then nothing is reserved
     */
    void reserve(MemoryCategory category, long bytes);

    /** Called after a release, with the bytes that were reserved. */
    void release(MemoryCategory category, long bytes);

    /**
     * Work of one kernel, reported by devices that count instead of computing.
     *
     * @param kernel family and operation, for instance {@code gemm.multiplyNT}
     * @param flops floating-point operations; a multiply-add counts as two
     * @param movedBytes bytes of its operands and results
     */
    void work(String kernel, long flops, long movedBytes);
}
