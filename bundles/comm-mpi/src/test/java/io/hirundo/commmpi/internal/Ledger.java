package io.hirundo.commmpi.internal;

import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Books that a test can read. */
final class Ledger implements DeviceLedger {
  private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
  private final Map<String, Integer> calls = new TreeMap<>();

  @Override
  public synchronized void reserve(MemoryCategory category, long bytes) {
    live.merge(category, bytes, Long::sum);
  }

  @Override
  public synchronized void release(MemoryCategory category, long bytes) {
    live.merge(category, -bytes, Long::sum);
  }

  @Override
  public synchronized void work(String kernel, long flops, long movedBytes) {
    calls.merge(kernel, 1, Integer::sum);
  }

  synchronized long communicationBytes() {
    return live.getOrDefault(MemoryCategory.COMMUNICATION, 0L);
  }

  synchronized Map<String, Integer> calls() {
    return new TreeMap<>(calls);
  }
}
