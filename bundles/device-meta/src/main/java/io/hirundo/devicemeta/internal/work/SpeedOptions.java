package io.hirundo.devicemeta.internal.work;

import io.hirundo.strategy.Setting;

/**
 * Speed of the impersonated device. A kernel takes the longer of its compute time and its memory time.
 *
 * @param teraflopsPerSecond in 10^12 operations per second
 * @param gigabytesPerSecond in 10^9 bytes per second
 */
public record SpeedOptions(
        @Setting(value = "Operations that it does, in 10^12 per second", min = Double.MIN_VALUE)
        double teraflopsPerSecond,

        @Setting(value = "Bytes of operands and results that it moves, in 10^9 per second", min = Double.MIN_VALUE)
        double gigabytesPerSecond) {
    public long nanos(long flops, long movedBytes) {
        // 10^12 operations per second are 1,000 per nanosecond; 10^9 bytes per second are 1 per nanosecond.
        return Math.round(Math.max(flops / (1000 * teraflopsPerSecond), movedBytes / gigabytesPerSecond));
    }
}
