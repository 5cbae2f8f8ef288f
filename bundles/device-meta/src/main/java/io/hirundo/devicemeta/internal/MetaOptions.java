package io.hirundo.devicemeta.internal;

import io.hirundo.strategy.Setting;

/**
 * Options of {@code meta}: the device that is impersonated.
 *
 * @param deviceName its name
 * @param alignmentBytes what its allocations are rounded up to
 * @param workspaceBytes what it reserves when it is opened
 * @param memoryBytes what it has
 */
public record MetaOptions(
    @Setting("Name of the device that is impersonated") String deviceName,
    @Setting(value = "Its allocations are rounded up to a multiple of this power of two, in bytes", min = 1)
        long alignmentBytes,
    @Setting(value = "Scratch memory that it reserves when it is opened, in bytes", min = 0) long workspaceBytes,
    @Setting(value = "Memory that it has, in bytes; 0 for no limit", min = 0) long memoryBytes) {
  public MetaOptions() {
    this("meta", 64, 0, 0);
  }
}
