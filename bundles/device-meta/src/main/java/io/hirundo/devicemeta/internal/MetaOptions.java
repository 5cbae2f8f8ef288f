package io.hirundo.devicemeta.internal;

import io.hirundo.devicemeta.internal.work.SpeedOptions;
import io.hirundo.strategy.Setting;
import java.util.List;

/**
 * Options of {@code meta}: the impersonated device.
 *
 * @param deviceName its name
 * @param alignmentBytes alignment of its allocations
 * @param workspaceBytes workspace that it reserves when opened
 * @param sumsQueryGradients whether its attention backward allocates dQ accumulators
 * @param memoryBytes its memory
 * @param speed its speed, or null for none
 * @param missingKernels names of the kernel families that it does not have
 */
public record MetaOptions(
        @Setting("Name of the device that is impersonated") String deviceName,

        @Setting(value = "Its allocations are rounded up to a multiple of this power of two, in bytes", min = 1)
        long alignmentBytes,

        @Setting(value = "Scratch memory that it reserves when it is opened, in bytes", min = 0)
        long workspaceBytes,

        @Setting(
                "Whether its attention backward in BF16, of heads of 64 or 128 channels, takes memory to add up gradients of queries")
        boolean sumsQueryGradients,

        @Setting(value = "Memory that it has, in bytes; 0 for no limit", min = 0)
        long memoryBytes,

        @Setting(
                "How fast it is, so that kernels take time and one sees where a training's goes; null for no time at all")
        SpeedOptions speed,

        @Setting(
                "Kernel families that it does not have, MatrixScaledKernels for instance, so that a plan rejects what needs them")
        List<String> missingKernels) {
    public MetaOptions {
        missingKernels = List.copyOf(missingKernels);
    }

    public MetaOptions() {
        this("meta", 64, 0, 0, null);
    }

    /** A device whose kernels allocate no memory. */
    public MetaOptions(
            String deviceName, long alignmentBytes, long workspaceBytes, long memoryBytes, SpeedOptions speed) {
        this(deviceName, alignmentBytes, workspaceBytes, false, memoryBytes, speed, List.of());
    }
}
