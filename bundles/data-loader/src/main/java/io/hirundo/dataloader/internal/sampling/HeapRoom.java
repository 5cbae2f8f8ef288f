package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Room in the heap for tables whose size is known before they are allocated. What has no room is rejected: a change that needs it is
 * not made, and the run continues with what it has.
 *
 * @param usedBytes of the heap at present, what is garbage among them
 * @param mostBytes that the heap can have
 * @param collect garbage
 */
record HeapRoom(LongSupplier usedBytes, long mostBytes, Runnable collect) {
  /** Part of the heap that is left to the rest of the run. */
  private static final double RESERVE = 0.15;

  static HeapRoom ofProcess() {
    Runtime runtime = Runtime.getRuntime();
    return new HeapRoom(() -> runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), System::gc);
  }

  /**
   * Makes a table.
   *
   * @param bytes of it
   * @param what it is, for the message
   * @throws DataException when there is no room
   */
  <T> T make(long bytes, String what, Supplier<T> table) {
    if (bytes > room()) {
      collect.run();
    }
    if (bytes > room()) {
      throw rejected(bytes, what, null);
    }
    try {
      return table.get();
    } catch (OutOfMemoryError fragmented) {
      // Enough bytes, but not in one piece. The table is all that was to be allocated here, and it is dropped.
      throw rejected(bytes, what, fragmented);
    }
  }

  private long room() {
    return (long) (mostBytes * (1 - RESERVE)) - usedBytes.getAsLong();
  }

  private DataException rejected(long bytes, String what, OutOfMemoryError cause) {
    return new DataException(
        String.format(
            Locale.ROOT,
            "data.source.options.order: megatron needs %,d MiB of memory for %s, and of the heap's %,d MiB %,d MiB are free; "
                + "use order: permuted in a new run, which needs none, or give the JVM a larger heap (HIRUNDO_JAVA_OPTS=-Xmx...)",
            bytes >> 20, what, mostBytes >> 20, Math.max(0, room()) >> 20),
        cause);
  }
}
