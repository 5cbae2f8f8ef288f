package io.hirundo.parallelcp.internal;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.EnumMap;
import java.util.Map;

/** What a device holds, by category, and the most it held. */
final class Books implements DeviceLedger {
    private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
    private final Map<MemoryCategory, Long> peak = new EnumMap<>(MemoryCategory.class);

    @Override
    public synchronized void reserve(MemoryCategory category, long bytes) {
        peak.merge(category, live.merge(category, bytes, Long::sum), Math::max);
    }

    @Override
    public synchronized void release(MemoryCategory category, long bytes) {
        live.merge(category, -bytes, Long::sum);
    }

    @Override
    public void work(String kernel, long flops, long movedBytes) {}

    synchronized long live(MemoryCategory category) {
        return live.getOrDefault(category, 0L);
    }

    synchronized long peak(MemoryCategory category) {
        return peak.getOrDefault(category, 0L);
    }
}
