package io.hirundo.commlocal.internal.fabric;

import io.hirundo.strategy.Setting;

/**
 * A link from every rank to the others of a group, as slow as an imagined network. Each group has links of its own.
 *
 * @param latencyMicros of every transfer
 * @param gigabytesPerSecond what a rank sends, in 10^9 bytes per second
 */
public record LinkOptions(
        @Setting(value = "latency of every transfer, in microseconds", min = 0)
        double latencyMicros,

        @Setting(value = "what a rank sends, in 10^9 bytes per second", min = Double.MIN_VALUE)
        double gigabytesPerSecond) {}
