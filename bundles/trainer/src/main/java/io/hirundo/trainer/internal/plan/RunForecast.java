package io.hirundo.trainer.internal.plan;

import io.hirundo.trainer.internal.run.DryRun;

/**
 * What a run will need.
 *
 * @param run its name
 * @param deviceName the device that it is planned for
 * @param deviceMemoryBytes what that device has; 0 if it is not on this machine
 * @param counted what was counted
 */
public record RunForecast(String run, String deviceName, long deviceMemoryBytes, DryRun.Counted counted) {
  /** Whether the peak fits the device; true where its memory is not known. */
  public boolean fits() {
    return deviceMemoryBytes == 0 || counted.peakTotalBytes() <= deviceMemoryBytes;
  }
}
