package io.hirundo.gpusuite.internal.part;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;

/** No budget, no books: the suite is no training. */
public record UnaccountedLedger() implements DeviceLedger {
  @Override
  public void reserve(MemoryCategory category, long bytes) {}

  @Override
  public void release(MemoryCategory category, long bytes) {}

  @Override
  public void work(String kernel, long flops, long movedBytes) {}
}
