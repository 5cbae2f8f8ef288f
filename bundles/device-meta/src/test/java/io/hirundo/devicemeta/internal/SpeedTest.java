package io.hirundo.devicemeta.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.work.SpeedOptions;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Work of the impersonated device takes the time that it would take there, and none of the calling thread's. */
class SpeedTest {
    /** A thousand operations a nanosecond, and a byte. */
    private static final SpeedOptions SPEED = new SpeedOptions(1, 1);

    private static final long FILL_NANOS = 40_000_000;

    private final Device device =
            new MetaFactory().create(new MetaOptions("fast", 64, 0, 0, SPEED)).open(0, new BookedLedger());
    private final Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(FILL_NANOS / 4), DType.FP32);

    @Test
    void operationsOrBytesWhicheverTakeLonger() {
        assertEquals(3000, SPEED.nanos(3_000_000, 2999));
        assertEquals(3001, SPEED.nanos(3_000_000, 3001));
        assertEquals(300, new SpeedOptions(10, 10).nanos(3_000_000, 3000));
    }

    @Test
    void workIsHandedInAtOnceAndAwaitedWhenItIsNeeded() {
        long start = System.nanoTime();
        Queue queue = device.newQueue("test");
        Event half = filled(queue);
        Event whole = filled(queue);
        boolean happened = half.hasHappened();
        // Looked at before the time, not after it: the thread may lose the processor between the two.
        if (System.nanoTime() - start < FILL_NANOS) {
            assertFalse(happened);
        }
        half.await();
        assertTrue(half.hasHappened());
        assertTrue(System.nanoTime() - start >= FILL_NANOS);
        queue.drain();
        assertTrue(whole.hasHappened());
        assertTrue(System.nanoTime() - start >= 2 * FILL_NANOS);
    }

    @Test
    void queuesWorkBesideEachOtherAndWaitForEvents() {
        long start = System.nanoTime();
        Queue one = device.newQueue("one");
        Queue other = device.newQueue("other");
        Event first = filled(one);
        filled(other);
        other.await(first);
        // Both began at once, so that the other waits for nothing, and this is its second work.
        filled(other).await();
        assertTrue(System.nanoTime() - start >= 2 * FILL_NANOS);

        Queue late = device.newQueue("late");
        late.await(filled(one));
        filled(late).await();
        assertTrue(System.nanoTime() - start >= 4 * FILL_NANOS, "after both works of the queue that it waited for");
    }

    @Test
    void anEventOfSomethingElseIsWaitedFor() {
        Queue queue = device.newQueue("test");
        long start = System.nanoTime();
        queue.await(new Event() {
            @Override
            public boolean hasHappened() {
                return System.nanoTime() - start >= FILL_NANOS;
            }

            @Override
            public void await() {
                while (!hasHappened()) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        });
        filled(queue).await();
        assertTrue(System.nanoTime() - start >= 2 * FILL_NANOS);
    }

    @Test
    void anInterruptionIsKeptForTheCaller() {
        Event event = filled(device.newQueue("test"));
        Thread.currentThread().interrupt();
        event.await();
        assertTrue(event.hasHappened());
        assertTrue(Thread.interrupted());
    }

    private Event filled(Queue queue) {
        device.kernels().elementwise().fill(queue, tensor, 0);
        return queue.record();
    }
}
