package io.hirundo.device;

import java.util.List;

/**
 * What a device's kernels took in a stretch of work. Taking times takes time between kernels too: the device is a little busier
 * than it says without that.
 *
 * @param kernels each name once, those that took longest first
 * @param spanNanos from when the device was through with what it had been given before, to the end of the last kernel
 * @param busyNanos of the span, in which one kernel or more ran
 */
public record KernelTimes(List<KernelTime> kernels, long spanNanos, long busyNanos) {
  public KernelTimes {
    kernels = List.copyOf(kernels);
  }

  /**
   * All launches of one kernel.
   *
   * @param name that the device gives it
   * @param launches how many
   * @param nanos from the begin to the end of each, together
   */
  public record KernelTime(String name, long launches, long nanos) {}

  /** The part of the span in which the device had work; 0 where there was none at all. */
  public double busyShare() {
    return spanNanos == 0 ? 0 : (double) busyNanos / spanNanos;
  }
}
