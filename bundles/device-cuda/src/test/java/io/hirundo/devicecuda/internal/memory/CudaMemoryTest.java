package io.hirundo.devicecuda.internal.memory;

import static io.hirundo.devicecuda.internal.CudaDeviceTest.all;
import static io.hirundo.devicecuda.internal.CudaDeviceTest.read;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * When allocations and frees wait, and when they do not. The stub overwrites allocated and freed memory in stream order, so use too early
 * or too late reads garbage.
 */
class CudaMemoryTest {
    private static final int OUT_OF_MEMORY = 2;
    private static final Shape SHAPE = Shape.of(1000);

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    @AfterEach
    void roomForAll() {
        if (stub != null) {
            stub.room(-1);
        }
    }

    @Test
    void freesMemoryAfterTheWorkThatUsesIt() {
        try (Device device = stub.backend().open(0, new Books());
                Queue compute = device.newQueue("compute");
                Queue other = device.newQueue("other")) {
            var elementwise = device.kernels().elementwise();
            Tensor sum = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(compute, sum, 0);
            for (int turn = 1; turn <= 4; turn++) {
                // Used on two queues and closed immediately; the next iteration gets the same memory.
                Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
                elementwise.fill(other, x, turn);
                compute.await(other.record());
                elementwise.add(compute, x, sum);
                x.close();
            }
            Tensor last = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(other, last, -1);
            other.drain();
            assertArrayEquals(all(-1), read(device, other, last));
            assertArrayEquals(all(1 + 2 + 3 + 4), read(device, compute, sum));
        }
    }

    @Test
    void needsNoSynchronizationWithinAQueue() {
        try (Device device = stub.backend().open(0, new Books());
                Queue compute = device.newQueue("compute")) {
            var elementwise = device.kernels().elementwise();
            elementwise.fill(compute, device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32), 1);
            int waits = stub.calls("cuStreamWaitEvent");
            int freed = stub.calls("cuMemFreeAsync");
            for (int turn = 1; turn <= 3; turn++) {
                try (Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32)) {
                    elementwise.fill(compute, x, turn);
                }
                assertEquals(
                        freed + turn,
                        stub.calls("cuMemFreeAsync"),
                        "for the next to have, while work with it is still to come");
            }
            assertEquals(waits, stub.calls("cuStreamWaitEvent"));
        }
    }

    @Test
    void doesNotWaitForOtherQueuesOnFree() throws InterruptedException {
        try (Device device = stub.backend().open(0, new Books());
                Queue compute = device.newQueue("compute");
                Queue copies = device.newQueue("copies")) {
            var elementwise = device.kernels().elementwise();
            Tensor sum = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(compute, x, 1);
            Event filled = compute.record();
            // A queue belongs to a thread.
            Thread copier = new Thread(() -> {
                copies.await(filled);
                elementwise.fill(copies, sum, 0);
                for (int i = 0; i < 50; i++) {
                    elementwise.add(copies, x, sum);
                }
            });
            copier.start();
            copier.join();
            x.close();
            Tensor next = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(compute, next, 7);
            assertArrayEquals(all(7), read(device, compute, next));
            assertTrue(stub.pending() > 40, "the copies are still to come");
            assertArrayEquals(all(50), read(device, copies, sum));
        }
    }

    @Test
    void waitsForPendingFreesIfMemoryIsNeeded() {
        var books = new Books();
        // 1 GiB for each of 64 ranks.
        try (Device device = stub.backend().sharedBy(64).open(0, books);
                Queue compute = device.newQueue("compute");
                Queue copies = device.newQueue("copies")) {
            var elementwise = device.kernels().elementwise();
            Shape most = Shape.of(2 << 20);
            Tensor sum = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2 << 19), DType.FP32);
            elementwise.fill(compute, sum, 3);
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, most, DType.FP32);
            elementwise.fill(compute, x, 1);
            copies.await(compute.record());
            elementwise.add(copies, x.view(5, sum.shape()), sum);
            x.close();
            try (Tensor again = device.allocate(MemoryCategory.ACTIVATIONS, most, DType.FP32)) {
                elementwise.fill(compute, again, 9);
                compute.drain();
            }
            assertEquals(4, read(device, copies, sum)[100]);
            assertThrows(
                    DeviceException.class,
                    () -> device.allocate(MemoryCategory.WEIGHTS, Shape.of(3 << 20), DType.FP32));
        }
        assertEquals(Map.of(), books.live());
    }

    @Test
    void waitsForPendingFreesIfTheDriverHasNoMemory() {
        try (Device device = stub.backend().open(0, new Books());
                Queue compute = device.newQueue("compute");
                Queue copies = device.newQueue("copies")) {
            var elementwise = device.kernels().elementwise();
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(compute, x, 1);
            for (int i = 0; i < 10; i++) {
                elementwise.fill(copies, x, 2);
            }
            x.close();
            stub.fail("cuMemAllocAsync", OUT_OF_MEMORY);
            Tensor next = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(compute, next, 4);
            assertArrayEquals(all(4), read(device, compute, next));
        }
    }

    /** The pool keeps memory of other sizes, and of a queue with pending work. */
    @Test
    void trimsThePoolBeforeFailing() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("queue")) {
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2000), DType.FP32);
            device.kernels().elementwise().fill(queue, x, 1);
            queue.drain();
            x.close();
            stub.room(0);
            int waits = stub.calls("cuCtxSynchronize");
            int trims = stub.calls("cuMemPoolTrimTo");
            Tensor other = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(1500), DType.FP32);
            assertEquals(1, stub.calls("cuCtxSynchronize") - waits);
            assertEquals(1, stub.calls("cuMemPoolTrimTo") - trims);
            device.kernels().elementwise().fill(queue, other, 4);
            assertEquals(4, read(device, queue, other)[0]);
        }
    }

    /** So that another process can use it. */
    @Test
    void closeTrimsThePool() {
        int trims = stub.calls("cuMemPoolTrimTo");
        stub.backend().open(0, new Books()).close();
        assertEquals(1, stub.calls("cuMemPoolTrimTo") - trims);
    }

    @Test
    void doesNotAccountFailedAllocations() {
        var books = new Books();
        try (Device device = stub.backend().open(0, books)) {
            device.allocate(MemoryCategory.GRADIENTS, SHAPE, DType.FP32);
            var before = books.live();
            stub.room(100);
            var failure = assertThrows(
                    DeviceException.class, () -> device.allocate(MemoryCategory.WEIGHTS, SHAPE, DType.FP32));
            assertEquals(
                    "no memory for a tensor [1000] FP32 (WEIGHTS): the GPU has no 4096 bytes left, and 4198400 are taken: GRADIENTS 4096,"
                            + " WORKSPACE 4194304; make training.microBatch or the model smaller, or end what else uses the GPU",
                    failure.getMessage());
            assertThrows(
                    DeviceException.class,
                    () -> device.allocate(MemoryCategory.WEIGHTS, Shape.of(1L << 30), DType.FP32));
            assertEquals(before, books.live());
        }
    }
}
