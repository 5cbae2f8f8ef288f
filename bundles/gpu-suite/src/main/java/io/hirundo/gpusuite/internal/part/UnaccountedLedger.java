package io.hirundo.gpusuite.internal.part;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;

/** A ledger without budget and accounting. */
public record UnaccountedLedger() implements DeviceLedger {
    @Override
    public void reserve(MemoryCategory category, long bytes) {}

    @Override
    public void release(MemoryCategory category, long bytes) {}

    @Override
    public void work(String kernel, long flops, long movedBytes) {}
}
