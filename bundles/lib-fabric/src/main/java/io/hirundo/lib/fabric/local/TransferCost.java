package io.hirundo.lib.fabric.local;

import io.hirundo.lib.fabric.Signature;

/**
 * What transfers cost over a link. Bytes are those that one rank sends with the usual rings (Patarasuk and Yuan 2009, JPDC
 * 69(2)); the time is the latency and what the bytes take. Each group has links of its own.
 *
 * @param latencyMicros of every transfer
 * @param gigabytesPerSecond what a rank sends, in 10^9 bytes per second
 */
public record TransferCost(double latencyMicros, double gigabytesPerSecond) {
    /** Bytes that each rank, or the sender, puts on its link. */
    public static long sentBytes(Signature signature, int ranks) {
        long whole = signature.wholeBytes();
        return switch (signature.kind()) {
            case ALL_REDUCE -> 2 * (ranks - 1) * whole / ranks;
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> (ranks - 1) * whole / ranks;
            case BROADCAST, SEND, RECEIVE -> whole;
            case BARRIER -> 0;
        };
    }

    /** How long a transfer among so many ranks takes. */
    public long nanos(Signature signature, int ranks) {
        // 10^9 bytes per second are one byte per nanosecond.
        return Math.round(latencyMicros * 1000 + sentBytes(signature, ranks) / gigabytesPerSecond);
    }
}
