package io.hirundo.devicecuda.internal.graph;

import java.util.Map;
import java.util.TreeMap;

/** What is taken of memory that does not grow. */
final class PlacedRanges {
  private final long bytes;
  /** The end of each place that is taken, by where it begins. */
  private final TreeMap<Long, Long> taken = new TreeMap<>();

  PlacedRanges(long bytes) {
    this.bytes = bytes;
  }

  /** Takes a place. */
  void take(long at, long wanted) {
    taken.put(at, at + wanted);
  }

  /** Takes the first place of as many bytes; where it begins, {@link Allocation#IN_POOL} where there is none. */
  long takeAny(long wanted) {
    long at = 0;
    for (Map.Entry<Long, Long> place : taken.entrySet()) {
      if (place.getKey() - at >= wanted) {
        break;
      }
      at = place.getValue();
    }
    if (bytes - at < wanted) {
      return Allocation.IN_POOL;
    }
    take(at, wanted);
    return at;
  }

  void give(long at) {
    taken.remove(at);
  }
}
