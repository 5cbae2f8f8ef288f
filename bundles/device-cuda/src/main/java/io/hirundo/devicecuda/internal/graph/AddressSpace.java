package io.hirundo.devicecuda.internal.graph;

import java.util.Map;
import java.util.TreeMap;

/** Memory that grows as it must: whoever takes some gets the smallest gap that has as much, the first of those of a size. */
final class AddressSpace {
  /** Bytes of each gap, by where it begins. */
  private final TreeMap<Long, Long> gaps = new TreeMap<>();

  private long bytes;

  /** Takes bytes; where they begin. */
  long take(long wanted) {
    Map.Entry<Long, Long> best = null;
    for (Map.Entry<Long, Long> gap : gaps.entrySet()) {
      if (gap.getValue() >= wanted && (best == null || gap.getValue() < best.getValue())) {
        best = gap;
      }
    }
    if (best == null) {
      return grow(wanted);
    }
    long at = best.getKey();
    long left = best.getValue() - wanted;
    gaps.remove(at);
    if (left > 0) {
      gaps.put(at + wanted, left);
    }
    return at;
  }

  private long grow(long wanted) {
    Map.Entry<Long, Long> last = gaps.lastEntry();
    long at = bytes;
    if (last != null && last.getKey() + last.getValue() == bytes) {
      at = last.getKey();
      gaps.remove(at);
    }
    bytes = at + wanted;
    return at;
  }

  /** Gives bytes back that were taken at a place. */
  void give(long at, long given) {
    long begin = at;
    long end = at + given;
    Map.Entry<Long, Long> before = gaps.lowerEntry(at);
    if (before != null && before.getKey() + before.getValue() == at) {
      begin = before.getKey();
    }
    Long after = gaps.remove(end);
    if (after != null) {
      end += after;
    }
    gaps.put(begin, end - begin);
  }

  /** All that there ever was. */
  long bytes() {
    return bytes;
  }
}
