package io.hirundo.dataloader.internal.megatron;

import io.hirundo.DataException;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Checks that a table fits the heap before it is allocated. A change that needs more memory than there is becomes a rejection, and the
 * run continues with what it has.
 *
 * @param usedBytes of the heap at present, including garbage
 * @param mostBytes that the heap can have
 * @param collect runs the garbage collector
 */
public record HeapRoom(LongSupplier usedBytes, long mostBytes, Runnable collect) {
    /** Share of the heap that stays free for the rest of the run. */
    private static final double RESERVE = 0.15;

    public static HeapRoom ofProcess() {
        Runtime runtime = Runtime.getRuntime();
        return new HeapRoom(() -> runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory(), System::gc);
    }

    /**
     * Allocates a table.
     *
     * @param bytes of the table
     * @param what the table holds, for the message
     * @throws DataException if the heap has too little free memory; names how much is needed and the remedy
     */
    public <T> T make(long bytes, String what, Supplier<T> table) {
        if (bytes > room()) {
            collect.run();
        }
        if (bytes > room()) {
            throw rejected(bytes, what, null);
        }
        try {
            return table.get();
        } catch (OutOfMemoryError fragmented) {
            // The heap is fragmented: enough bytes, but no range of that length. Nothing keeps the partial table.
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
                        bytes >> 20,
                        what,
                        mostBytes >> 20,
                        Math.max(0, room()) >> 20),
                cause);
    }
}
