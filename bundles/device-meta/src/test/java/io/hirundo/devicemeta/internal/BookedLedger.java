package io.hirundo.devicemeta.internal;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Live bytes by category, and every piece of work. */
public final class BookedLedger implements DeviceLedger {
    public final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
    public final List<String> work = new ArrayList<>();

    @Override
    public void reserve(MemoryCategory category, long bytes) {
        live.merge(category, bytes, Long::sum);
    }

    @Override
    public void release(MemoryCategory category, long bytes) {
        live.merge(category, -bytes, Long::sum);
        live.remove(category, 0L);
    }

    @Override
    public void work(String kernel, long flops, long movedBytes) {
        work.add(kernel + " " + flops + " " + movedBytes);
    }
}
