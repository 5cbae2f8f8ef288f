package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.stream.CudaTransfer;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Order and ownership. The stub executes streams as late as possible, and overwrites allocated and freed memory in stream order. So work
 * that events do not order reads garbage.
 */
public class CudaDeviceTest {
    private static final int INVALID_VALUE = 1;
    private static final int ILLEGAL_ADDRESS = 700;
    private static final Shape SHAPE = Shape.of(1000);

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    public static double[] read(Device device, Queue queue, Tensor tensor) {
        MemorySegment host = MemorySegment.ofArray(new float[(int) tensor.elements()]);
        device.transfer().download(queue, tensor, host);
        var values = new double[(int) tensor.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = host.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
        }
        return values;
    }

    public static double[] all(double value) {
        var values = new double[(int) SHAPE.elements()];
        Arrays.fill(values, value);
        return values;
    }

    @Test
    void sharesTheWorkspaceBetweenQueues() {
        try (Device device = stub.backend().open(0, new Books());
                Queue first = device.newQueue("first");
                Queue second = device.newQueue("second")) {
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            Tensor y = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            Tensor sums = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2), DType.FP64);
            var kernels = device.kernels();
            kernels.elementwise().fill(first, x, 2);
            kernels.elementwise().fill(first, y, 3);
            kernels.elementwise().fill(first, sums, 0);
            second.await(first.record());
            kernels.optimizer().addSumOfSquares(first, x, sums.view(0, Shape.of(1)));
            kernels.optimizer().addSumOfSquares(second, y, sums.view(1, Shape.of(1)));
            second.drain();
            first.drain();
            MemorySegment host = MemorySegment.ofArray(new double[2]);
            device.transfer().download(first, sums, host);
            assertEquals(4000, host.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0));
            assertEquals(9000, host.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, 1));
        }
    }

    @Test
    void copiesLargeTensorsInOrder() {
        int count = (int) (CudaTransfer.BUFFER_BYTES / 4 * 3 + 5);
        var numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
        }
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("copies")) {
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(count), DType.FP32);
            device.transfer().upload(queue, MemorySegment.ofArray(numbers), x);
            var back = new float[count];
            device.transfer().download(queue, x, MemorySegment.ofArray(back));
            assertArrayEquals(numbers, back);
        }
    }

    @Test
    void eventHappensAfterItsWork() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("work")) {
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            device.kernels().elementwise().fill(queue, x, 1);
            Event event = queue.record();
            assertFalse(event.hasHappened());
            event.await();
            assertTrue(event.hasHappened());
        }
    }

    @Test
    void closeFreesEverything() {
        int before = stub.live();
        var books = new Books();
        Event late;
        try (Device device = stub.backend().open(0, books)) {
            Queue queue = device.newQueue("left open");
            Tensor x = device.allocate(MemoryCategory.WEIGHTS, SHAPE, DType.FP32);
            device.kernels().elementwise().fill(queue, x, 1);
            read(device, queue, x);
            late = queue.record();
        }
        assertEquals(before, stub.live(), "streams, events, modules and memory that are left");
        assertEquals(Map.of(), books.live());
        assertTrue(late.hasHappened());
        assertEquals(-1L, stub.releaseThreshold(), "the pool keeps what is given back");
    }

    @Test
    void failedOpenFreesEverything() {
        int before = stub.live();
        var books = new Books();
        for (String call : List.of("cuDeviceGetDefaultMemPool", "cuMemAllocAsync")) {
            int retained = stub.calls("cuDevicePrimaryCtxRetain");
            int released = stub.calls("cuDevicePrimaryCtxRelease");
            stub.fail(call, INVALID_VALUE);
            assertThrows(DeviceException.class, () -> stub.backend().open(0, books));
            assertEquals(before, stub.live(), call);
            assertEquals(Map.of(), books.live(), call);
            assertEquals(retained + 1, stub.calls("cuDevicePrimaryCtxRetain"), call);
            assertEquals(released + 1, stub.calls("cuDevicePrimaryCtxRelease"), call);
        }
    }

    @Test
    void launchesTheExpectedGrid() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("work")) {
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(5000), DType.FP32);
            Tensor empty = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(0, 7), DType.FP32);
            device.kernels().elementwise().fill(queue, x, 1);
            assertEquals(List.of(5, 1, 1, 256, 1, 1), stub.lastLaunch());
            int launches = stub.calls("cuLaunchKernel");
            device.kernels().elementwise().fill(queue, empty, 1);
            assertEquals(launches, stub.calls("cuLaunchKernel"), "nothing is launched for no elements");
            device.kernels().elementwise().copy(queue, x, x.view(0, Shape.of(50, 100)));
            assertEquals(launches, stub.calls("cuLaunchKernel"), "nothing is launched for a copy onto itself");
        }
    }

    @Test
    void reportsAFailedKernelWhenTheHostWaits() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("work")) {
            stub.fail("cuStreamSynchronize", ILLEGAL_ADDRESS);
            var failure = assertThrows(DeviceException.class, queue::drain);
            assertEquals("CUDA: the work of a queue failed: CUDA_ERROR_ILLEGAL_ADDRESS", failure.getMessage());
        }
    }

    @Test
    void rejectsNullAndClosedQueues() {
        try (Device device = stub.backend().open(0, new Books())) {
            Queue queue = device.newQueue("work");
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            var elementwise = device.kernels().elementwise();
            assertThrows(IllegalArgumentException.class, () -> elementwise.fill(null, x, 1));
            queue.close();
            assertThrows(IllegalStateException.class, () -> elementwise.fill(queue, x, 1));
        }
    }

    @Test
    void supportsOtherThreads() throws InterruptedException {
        try (Device device = stub.backend().open(0, new Books())) {
            var values = new double[1][];
            var thread = new Thread(() -> {
                try (Queue queue = device.newQueue("another thread");
                        Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32)) {
                    device.kernels().elementwise().fill(queue, x, 5);
                    values[0] = read(device, queue, x);
                }
            });
            thread.start();
            thread.join();
            assertArrayEquals(all(5), values[0]);
        }
    }

    @Test
    void dividesMemoryBetweenRanksOfAGpu() {
        long whole = stub.backend().devices().getFirst().memoryBytes();
        assertEquals(whole / 4, stub.backend().sharedBy(4).devices().getFirst().memoryBytes());
    }
}
