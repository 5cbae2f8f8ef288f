package io.hirundo.commlocal.internal.link;

import io.hirundo.lib.fabric.Signature;

/**
 * What transfers cost over a link. Bytes are those that one rank sends with the usual rings (Patarasuk and Yuan 2009, JPDC
 * 69(2)); the time is the latency and what the bytes take.
 */
public record TransferCost(LinkOptions link) {
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

  public long nanos(Signature signature, int ranks) {
    // 10^9 bytes per second are one byte per nanosecond.
    return Math.round(link.latencyMicros() * 1000 + sentBytes(signature, ranks) / link.gigabytesPerSecond());
  }
}
