package io.hirundo.device;

/**
 * How a device rounds and reserves memory, so that {@code device-meta} can predict it to the byte.
 *
 * @param deviceName the described device
 * @param alignmentBytes power of two; allocations are rounded up to a multiple of it
 * @param workspaceBytes scratch memory reserved when the device is opened
 * @param sumsQueryGradients whether the attention backward allocates the workspace of {@link io.hirundo.kernel.attention.QueryGradientSums}
 *     and releases it after the launch. All other kernels of the device use only their operands and the reserved workspace
 */
public record MemoryProfile(String deviceName, long alignmentBytes, long workspaceBytes, boolean sumsQueryGradients) {
    public MemoryProfile {
        if (Long.bitCount(alignmentBytes) != 1) {
            throw new IllegalArgumentException(
                    "alignmentBytes: " + alignmentBytes + " is wrong (allowed: a power of two)");
        }
    }

    /** A device whose kernels allocate no memory. */
    public MemoryProfile(String deviceName, long alignmentBytes, long workspaceBytes) {
        this(deviceName, alignmentBytes, workspaceBytes, false);
    }

    /** Bytes taken by a request for {@code byteSize} bytes. */
    public long allocationBytes(long byteSize) {
        return (byteSize + alignmentBytes - 1) & -alignmentBytes;
    }
}
