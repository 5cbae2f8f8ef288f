package io.hirundo.devicecpu.internal;

import io.hirundo.DeviceException;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.EnumMap;
import java.util.Map;

/** Books that a test can read. */
public final class RecordingLedger implements DeviceLedger {
  private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
  private final long budgetBytes;

  public RecordingLedger() {
    this(Long.MAX_VALUE);
  }

  RecordingLedger(long budgetBytes) {
    this.budgetBytes = budgetBytes;
  }

  @Override
  public synchronized void reserve(MemoryCategory category, long bytes) {
    if (total() + bytes > budgetBytes) {
      throw new DeviceException("the budget of " + budgetBytes + " bytes is exceeded");
    }
    live.merge(category, bytes, Long::sum);
  }

  @Override
  public synchronized void release(MemoryCategory category, long bytes) {
    live.merge(category, -bytes, Long::sum);
  }

  @Override
  public void work(String kernel, long flops, long movedBytes) {
    throw new AssertionError("a device that computes does not count work");
  }

  synchronized long live(MemoryCategory category) {
    return live.getOrDefault(category, 0L);
  }

  synchronized long total() {
    return live.values().stream().mapToLong(Long::longValue).sum();
  }
}
