package io.hirundo.devicecuda.internal.graph;

import java.util.Map;
import java.util.TreeMap;

/** The allocated ranges of memory of a fixed size. */
final class PlacedRanges {
    private final long bytes;
    /** End of each allocated range by its start. */
    private final TreeMap<Long, Long> taken = new TreeMap<>();

    PlacedRanges(long bytes) {
        this.bytes = bytes;
    }

    /** Allocates a range. */
    void take(long at, long wanted) {
        taken.put(at, at + wanted);
    }

    /** Allocates the first free range of this size and returns its start; {@link Allocation#IN_POOL} if there is none. */
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
