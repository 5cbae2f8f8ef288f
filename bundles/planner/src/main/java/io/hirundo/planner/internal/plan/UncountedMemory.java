package io.hirundo.planner.internal.plan;

import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Mesh;
import java.util.Arrays;

/**
 * Estimates of the GPU memory that a run needs but does not allocate itself, so that no plan counts it.
 *
 * @param contextBytes driver context and kernels of the libraries: 0.3 to 1 GB a process (GPU memory estimation in the resource guides of
 *     NAIRR); the upper end
 * @param ncclBytes buffers that NCCL would add: for each group of ranks 32 channels of 4 MiB, its defaults ({@code NCCL_MAX_NCHANNELS},
 *     {@code NCCL_BUFFSIZE}); no part of {@link #bytes}, because no fabric uses NCCL yet
 * @param fragmentationBytes gaps in the device's memory pool: an assumption, 2% of the peak
 */
public record UncountedMemory(long contextBytes, long ncclBytes, long fragmentationBytes) {
    /** For devices whose memory is host memory. */
    public static final UncountedMemory NONE = new UncountedMemory(0, 0, 0);

    private static final long CONTEXT_BYTES = 1_000_000_000;
    private static final long GROUP_BYTES = 32L * (4 << 20);
    private static final double FRAGMENTATION = 0.02;

    static UncountedMemory ofGpu(Mesh mesh, long peakBytes) {
        long axes =
                Arrays.stream(Axis.values()).filter(axis -> mesh.size(axis) > 1).count();
        boolean sharesOverContextAndData = mesh.size(Axis.CONTEXT) > 1 && mesh.size(Axis.DATA) > 1;
        // Each axis, context and data together, and all ranks.
        long groups = axes < 2 ? axes : axes + (sharesOverContextAndData ? 1 : 0) + 1;
        return new UncountedMemory(CONTEXT_BYTES, groups * GROUP_BYTES, Math.round(FRAGMENTATION * peakBytes));
    }

    /** What this run takes beyond its plan. */
    long bytes() {
        return contextBytes + fragmentationBytes;
    }
}
