package io.hirundo.testkit.bench;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** A device's memory ledger that tests can read. Thread-safe. */
public final class Books implements DeviceLedger {
    private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
    private long liveTotal;
    private long peakTotal;
    private final Map<String, Integer> calls = new TreeMap<>();

    @Override
    public synchronized void reserve(MemoryCategory category, long bytes) {
        live.merge(category, bytes, Long::sum);
        liveTotal += bytes;
        peakTotal = Math.max(peakTotal, liveTotal);
    }

    @Override
    public synchronized void release(MemoryCategory category, long bytes) {
        long left = live.getOrDefault(category, 0L) - bytes;
        if (left < 0) {
            throw new AssertionError(
                    bytes + " bytes of " + category + " were released, " + -left + " more than were reserved");
        }
        live.put(category, left);
        liveTotal -= bytes;
    }

    @Override
    public synchronized void work(String kernel, long flops, long movedBytes) {
        calls.merge(kernel, 1, Integer::sum);
    }

    /** Reserved bytes by category, without empty categories. */
    public synchronized Map<MemoryCategory, Long> live() {
        var held = new EnumMap<MemoryCategory, Long>(live);
        held.values().removeIf(bytes -> bytes == 0);
        return held;
    }

    public synchronized long live(MemoryCategory category) {
        return live.getOrDefault(category, 0L);
    }

    /** The most bytes that were reserved together since the last call, all categories; those that are reserved now count again. */
    public synchronized long takePeak() {
        long peak = peakTotal;
        peakTotal = liveTotal;
        return peak;
    }

    /** Number of reported calls by kernel name; only devices that count instead of computing report them. */
    public synchronized Map<String, Integer> calls() {
        return new TreeMap<>(calls);
    }
}
