package io.hirundo.devicecuda.internal.graph;

import java.util.Map;
import java.util.TreeMap;

/** An address space that grows as needed, with best-fit allocation: the smallest sufficient gap, the first one of a size. */
final class AddressSpace {
    /** Size of each gap by its start. */
    private final TreeMap<Long, Long> gaps = new TreeMap<>();

    private long bytes;

    /** Allocates bytes and returns their start. */
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

    /** Frees bytes at a start. */
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

    /** The size of the address space. */
    long bytes() {
        return bytes;
    }
}
