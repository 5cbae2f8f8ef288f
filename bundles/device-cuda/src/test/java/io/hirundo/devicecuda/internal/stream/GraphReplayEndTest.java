package io.hirundo.devicecuda.internal.stream;

import static io.hirundo.devicecuda.internal.CudaDeviceTest.all;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Repetition;
import io.hirundo.devicecuda.internal.CudaDeviceTest;
import io.hirundo.devicecuda.internal.fixture.ReplayedLayer;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.fixture.TwoQueues;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Books;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Begin and end of captured work, of its queue, and of a timer. */
class GraphReplayEndTest {
    /** From the first pass to several with graphs. */
    private static final int MAX_ROUNDS = 7;
    /** Granularity of memory. */
    private static final long UNIT_BYTES = 512;

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    @Test
    void rejectsNestedWork() {
        try (var two = new TwoQueues(stub)) {
            for (int round = 0; round < TwoQueues.ROUNDS; round++) {
                Repetition work = two.queue.repetition("work");
                Tensor tensor = two.filled(round);
                for (String name : List.of("work", "other")) {
                    var failure = assertThrows(IllegalStateException.class, () -> two.queue.repetition(name));
                    assertEquals(
                            "work " + name + " was begun while its queue was at other work that comes again",
                            failure.getMessage());
                }
                try (var _ = two.other.repetition("another queue's")) {
                    two.lend(two.sum);
                }
                assertArrayEquals(all(round), two.read(two.queue, tensor));
                tensor.close();
                work.close();
                work.close();
            }
        }
    }

    @Test
    void closingTheQueueEndsOpenWork() {
        int live = stub.live();
        for (int rounds = 0; rounds <= MAX_ROUNDS; rounds++) {
            var books = new Books();
            try (Device device = stub.backendWithGraphs().open(0, books)) {
                ElementwiseKernels kernels = device.kernels().elementwise();
                Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, TwoQueues.SHAPE, DType.FP32);
                for (boolean closesQueue : new boolean[] {true, false}) {
                    Queue queue = device.newQueue("queue");
                    for (int round = 0; round < rounds; round++) {
                        try (var _ = queue.repetition("work")) {
                            work(device, kernels, queue, x, round);
                        }
                    }
                    Repetition open = queue.repetition("work");
                    work(device, kernels, queue, x, 9);
                    if (closesQueue) {
                        queue.close();
                        open.close();
                        try (Queue reader = device.newQueue("reader")) {
                            assertArrayEquals(all(9), CudaDeviceTest.read(device, reader, x));
                        }
                    }
                }
            }
            assertEquals(Map.of(), books.live());
            assertEquals(live, stub.live(), "after " + rounds + " rounds");
        }
    }

    private static void work(Device device, ElementwiseKernels kernels, Queue queue, Tensor x, double value) {
        try (Tensor tensor = device.allocate(MemoryCategory.ACTIVATIONS, TwoQueues.SHAPE, DType.FP32)) {
            for (int i = 0; i < 5; i++) {
                kernels.fill(queue, tensor, value);
            }
            kernels.copy(queue, tensor, x);
        }
    }

    /** The timer starts and ends before, between and after the kernels of a graph, and is read there. */
    @Test
    void timesEveryKernel() {
        int kernels = 6;
        try (var two = new TwoQueues(stub)) {
            Tensor x = two.take();
            for (int begin = 0; begin <= kernels; begin++) {
                for (int end = begin; end <= kernels; end++) {
                    two.rounds(round -> fill(two, x, kernels));
                    try (var _ = two.queue.repetition("work")) {
                        fill(two, x, begin);
                        try (KernelTimer timer = two.device.timeKernels().orElseThrow()) {
                            fill(two, x, end - begin);
                            assertEquals(
                                    end - begin,
                                    timer.times().kernels().stream()
                                            .mapToLong(KernelTime::launches)
                                            .sum());
                        }
                        fill(two, x, kernels - end);
                    }
                }
            }
        }
    }

    private static void fill(TwoQueues two, Tensor x, int times) {
        for (int i = 0; i < times; i++) {
            two.kernels.fill(two.queue, x, 1);
        }
    }

    /** Calls are not held back while others wait for the queue: as many kernels as without graphs are submitted then. */
    @Test
    void holdsBackNothingWhileTheHostWaits() {
        try (Bench bench = Bench.open(stub.backendWithGraphs())) {
            ElementwiseKernels kernels = bench.device().kernels().elementwise();
            Tensor x = bench.tensor(DType.FP32, i -> 1, 10);
            for (int round = 0; round < MAX_ROUNDS; round++) {
                try (var _ = bench.queue().repetition("work")) {
                    int before = given();
                    for (int call = 0; call < 5; call++) {
                        kernels.scale(bench.queue(), x, 1);
                    }
                    var atTheWait = new int[1];
                    bench.queue().await(othersEvent(() -> atTheWait[0] = given() - before));
                    for (int call = 0; call < 5; call++) {
                        kernels.scale(bench.queue(), x, 1);
                    }
                    assertEquals(
                            round < MAX_ROUNDS - 3 ? 5 : 1,
                            atTheWait[0],
                            "five kernels, later one graph: round " + round);
                }
            }
        }
    }

    private int given() {
        return stub.calls("cuLaunchKernel") + stub.calls("cuGraphLaunch");
    }

    /** For example an event of a collective. */
    private static Event othersEvent(Runnable wait) {
        return new Event() {
            @Override
            public boolean hasHappened() {
                return false;
            }

            @Override
            public void await() {
                wait.run();
            }
        };
    }

    /** A device's limit applies to all memory of its process, including memory that the ledger does not count. */
    @Test
    void reclaimsMemoryOfGraphsNearTheLimit() {
        ComputeBackend part = stub.backendWithGraphs().sharedBy(200);
        try (Bench bench = Bench.open(part)) {
            var layer = new ReplayedLayer(bench);
            for (int round = 0; round < MAX_ROUNDS; round++) {
                layer.repeat();
            }
            int graphs = stub.calls("cuGraphLaunch");
            layer.repeat();
            assertEquals(graphs + 1, stub.calls("cuGraphLaunch"));
            // As much as is left.
            Tensor rest = null;
            for (long units = part.devices().getFirst().memoryBytes() / UNIT_BYTES; rest == null; units--) {
                rest = takeWhereThereIs(bench.device(), units * UNIT_BYTES);
            }
            rest.close();
            layer.repeat();
            assertEquals(graphs + 1, stub.calls("cuGraphLaunch"), "the graphs' memory was taken back");
        }
    }

    private static Tensor takeWhereThereIs(Device device, long bytes) {
        try {
            return device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(bytes / Float.BYTES), DType.FP32);
        } catch (DeviceException none) {
            return null;
        }
    }
}
