package io.hirundo.dataloader.internal.megatron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeapRoomTest {
    private static final long MIB = 1 << 20;

    private final AtomicLong used = new AtomicLong();
    private final HeapRoom room = new HeapRoom(used::get, 1000 * MIB, () -> used.addAndGet(-100 * MIB));

    @Test
    void rejectsATableThatDoesNotFitBeforeItIsAllocated() {
        used.set(600 * MIB);
        var failure = assertThrows(
                DataException.class,
                () -> room.make(400 * MIB, "the samples", () -> {
                    throw new AssertionError("allocated");
                }));
        assertEquals(
                "data.source.options.order: megatron needs 400 MiB of memory for the samples, and of the heap's 1,000 MiB 350 MiB are free; "
                        + "use order: permuted in a new run, which needs none, or give the JVM a larger heap (HIRUNDO_JAVA_OPTS=-Xmx...)",
                failure.getMessage());
    }

    @Test
    void collectsGarbageBeforeARejection() {
        used.set(600 * MIB);
        assertEquals("table", room.make(300 * MIB, "the samples", () -> "table"));
        assertEquals(500 * MIB, used.get());
    }

    @Test
    void failedAllocationIsARejection() {
        var failure = assertThrows(
                DataException.class,
                () -> room.make(1, "the samples", () -> {
                    throw new OutOfMemoryError("in one piece");
                }));
        assertTrue(failure.getMessage().startsWith("data.source.options.order: megatron needs"), failure.getMessage());
    }

    /** Of the JVM's own: a table that can never fit. */
    @Test
    void rejectsATableLargerThanTheHeap() {
        long bytes = Runtime.getRuntime().maxMemory();
        assertThrows(
                DataException.class,
                () -> HeapRoom.ofProcess().make(bytes, "the samples", () -> new long[(int) (bytes / 8)]));
    }
}
