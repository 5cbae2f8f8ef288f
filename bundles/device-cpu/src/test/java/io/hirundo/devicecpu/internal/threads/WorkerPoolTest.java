package io.hirundo.devicecpu.internal.threads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class WorkerPoolTest {
    private static final long SCRATCH_BYTES = 4096;

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    private WorkerPool pool(int size) {
        return new WorkerPool(size, arena.allocate(size * SCRATCH_BYTES, 64).address(), SCRATCH_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void runsEveryTaskOnce(int size) {
        try (WorkerPool pool = pool(size)) {
            assertEquals(size, pool.size());
            for (int call = 0; call < 5_000; call++) {
                AtomicIntegerArray runs = new AtomicIntegerArray(call % 23);
                pool.run(runs.length(), (task, scratch) -> runs.incrementAndGet(task));
                for (int task = 0; task < runs.length(); task++) {
                    assertEquals(1, runs.get(task));
                }
            }
        }
    }

    @Test
    void wakesSleepingWorkers() throws InterruptedException {
        try (WorkerPool pool = pool(3)) {
            for (int call = 0; call < 5; call++) {
                Thread.sleep(5);
                CountDownLatch together = new CountDownLatch(3);
                // Ends only when three threads are in a task at the same time.
                pool.run(3, (task, scratch) -> {
                    together.countDown();
                    await(together);
                });
            }
        }
    }

    @Test
    void workersHavePrivateScratch() {
        try (WorkerPool pool = pool(4)) {
            Set<Long> addresses = ConcurrentHashMap.newKeySet();
            CountDownLatch together = new CountDownLatch(4);
            pool.run(4, (task, scratch) -> {
                long first = scratch.take(1);
                addresses.add(first);
                assertEquals(first + 64, scratch.take(SCRATCH_BYTES - 64));
                assertThrows(IllegalStateException.class, () -> scratch.take(1));
                together.countDown();
                await(together);
            });
            assertEquals(4, addresses.size());
            pool.run(9, (task, scratch) -> assertEquals(0, scratch.take(SCRATCH_BYTES) % 64));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void failureReachesTheCallerAndThePoolContinues(int size) {
        try (WorkerPool pool = pool(size)) {
            RuntimeException failure = new IllegalArgumentException("task 3");
            AtomicInteger runs = new AtomicInteger();
            for (int call = 0; call < 100; call++) {
                assertSame(
                        failure,
                        assertThrows(
                                IllegalArgumentException.class,
                                () -> pool.run(8, (task, scratch) -> {
                                    if (task == 3) {
                                        throw failure;
                                    }
                                })));
                pool.run(8, (task, scratch) -> runs.incrementAndGet());
            }
            assertEquals(800, runs.get());
            assertThrows(
                    StackOverflowError.class,
                    () -> pool.run(8, (task, scratch) -> {
                        throw new StackOverflowError();
                    }));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void rejectsAKernelCallInATask(int size) {
        try (WorkerPool pool = pool(size)) {
            AtomicInteger rejected = new AtomicInteger();
            pool.run(50, (task, scratch) -> {
                assertThrows(IllegalStateException.class, () -> pool.run(2, (inner, innerScratch) -> {}));
                rejected.incrementAndGet();
            });
            assertEquals(50, rejected.get());
        }
    }

    @Test
    void severalThreadsCanCall() throws InterruptedException {
        try (WorkerPool pool = pool(2)) {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger runs = new AtomicInteger();
            List<Thread> callers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                callers.add(Thread.ofPlatform().start(() -> {
                    for (int call = 0; call < 500; call++) {
                        pool.run(4, (task, scratch) -> {
                            assertTrue(inside.incrementAndGet() <= 2);
                            runs.incrementAndGet();
                            inside.decrementAndGet();
                        });
                    }
                }));
            }
            for (Thread caller : callers) {
                caller.join();
            }
            assertEquals(3 * 500 * 4, runs.get());
        }
    }

    @Test
    void keepsAnInterruptUntilTheTasksHaveEnded() {
        try (WorkerPool pool = pool(2)) {
            AtomicInteger ended = new AtomicInteger();
            Thread.currentThread().interrupt();
            pool.run(2, (task, scratch) -> {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20 * task);
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                ended.incrementAndGet();
            });
            assertEquals(2, ended.get());
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void closedPoolRejectsTasks() {
        WorkerPool pool = pool(3);
        pool.close();
        assertThrows(IllegalStateException.class, () -> pool.run(3, (task, scratch) -> {}));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(2, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
