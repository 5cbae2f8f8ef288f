package io.hirundo.device;

import java.util.List;

/**
 * Kernel times of a device over some work. Timing adds gaps between kernels, so the device is a little busier without it than
 * reported.
 *
 * @param kernels one entry per name, longest total first
 * @param spanNanos from the end of earlier work to the end of the last kernel
 * @param busyNanos part of the span with at least one running kernel
 */
public record KernelTimes(List<KernelTime> kernels, long spanNanos, long busyNanos) {
    public KernelTimes {
        kernels = List.copyOf(kernels);
    }

    /**
     * All launches of one kernel.
     *
     * @param name as the device calls it
     * @param launches number of launches
     * @param nanos total duration of all launches
     */
    public record KernelTime(String name, long launches, long nanos) {}

    /** Busy part of the span, 0 to 1; 0 if nothing ran. */
    public double busyShare() {
        return spanNanos == 0 ? 0 : (double) busyNanos / spanNanos;
    }
}
