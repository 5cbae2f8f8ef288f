package io.hirundo.testkit.kernel;

import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.ArrayList;
import java.util.List;

/** A backend whose devices' allocations are logged, in order. */
public final class LedgerLog implements WrappedBackend {
    private final ComputeBackend base;
    private final List<String> lines = new ArrayList<>();

    public LedgerLog(ComputeBackend base) {
        this.base = base;
    }

    /** As in {@code + WORKSPACE 640}; releases have a minus. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public ComputeBackend base() {
        return base;
    }

    @Override
    public Device open(int ordinal, DeviceLedger ledger) {
        return base.open(ordinal, new DeviceLedger() {
            @Override
            public void reserve(MemoryCategory category, long bytes) {
                lines.add("+ " + category + " " + bytes);
                ledger.reserve(category, bytes);
            }

            @Override
            public void release(MemoryCategory category, long bytes) {
                lines.add("- " + category + " " + bytes);
                ledger.release(category, bytes);
            }

            @Override
            public void work(String kernel, long flops, long movedBytes) {
                ledger.work(kernel, flops, movedBytes);
            }
        });
    }
}
