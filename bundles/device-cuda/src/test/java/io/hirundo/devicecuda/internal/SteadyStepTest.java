package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.stream.CudaTransfer;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.kernel.optimizer.OptimizerKernels.AdamWOperands;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The host cost of a step: launches, and waits for the GPU. */
class SteadyStepTest {
    private static final List<String> WAITS = List.of("cuStreamSynchronize", "cuEventSynchronize");

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    private List<Integer> waits() {
        return WAITS.stream().map(stub::calls).toList();
    }

    /** A model of 8 billion parameters: 291 tensors, of which 65 are vectors. */
    @Test
    void updatesAllTensorsInAFewLaunches() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("compute")) {
            Tensor memory = device.allocate(MemoryCategory.WEIGHTS, Shape.of(4, 291 * 5), DType.FP32);
            Tensor scalars = device.allocate(MemoryCategory.WORKSPACE, Shape.of(3), DType.FP64);
            var kernels = device.kernels();
            kernels.elementwise().fill(queue, memory, 1);
            kernels.elementwise().fill(queue, scalars, 0);
            List<AdamWOperands> operands =
                    IntStream.range(0, 291).mapToObj(i -> operands(memory, i)).toList();
            List<Integer> before = waits();
            int allocations = stub.calls("cuMemAllocAsync");
            int launches = stub.calls("cuLaunchKernel");
            kernels.optimizer()
                    .addSumOfSquares(
                            queue,
                            operands.stream().map(AdamWOperands::gradientN).toList(),
                            scalars.rows(0, 1));
            assertEquals(
                    launches + 4,
                    stub.calls("cuLaunchKernel"),
                    "partial sums and their sum, for 192 tensors and the others");
            kernels.optimizer().clipCoefficient(queue, scalars.rows(0, 1), 1, scalars.rows(1, 1), scalars.rows(2, 1));
            kernels.optimizer()
                    .adamW(queue, new AdamWCoefficients(1, 0.9, 0.95, 1e-8, 0, 1), scalars.rows(2, 1), operands);
            assertEquals(launches + 5 + 4, stub.calls("cuLaunchKernel"), "88 tensors a launch");
            assertEquals(before, waits());
            assertEquals(allocations, stub.calls("cuMemAllocAsync"));
        }
    }

    /** Batches are small and frequent; waiting for one would mean waiting for all earlier work. */
    @Test
    void doesNotWaitForSmallUploads() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("compute")) {
            int count = 1 << 14;
            Tensor x = device.allocate(MemoryCategory.WORKSPACE, Shape.of(100, count), DType.FP32);
            device.kernels().elementwise().fill(queue, x, -1);
            List<Integer> before = waits();
            var host = new float[count];
            for (int i = 0; i < 100; i++) {
                Arrays.fill(host, i);
                device.transfer().upload(queue, MemorySegment.ofArray(host), x.rows(i, 1));
            }
            assertEquals(before, waits(), "6.4 of 8 MB of buffers");
            assertTrue(stub.pending() > 100, "the fill is still to come, and so are the copies");
            var back = new float[100 * count];
            device.transfer().download(queue, x, MemorySegment.ofArray(back));
            for (int i = 0; i < back.length; i++) {
                assertEquals(i / count, back[i]);
            }
        }
    }

    /** The stub executes copies as late as possible. */
    @Test
    void reusesBuffersAfterTheCopiesOfAllQueues() {
        int count = (int) (CudaTransfer.BUFFER_BYTES / Float.BYTES / 3);
        try (Device device = stub.backend().open(0, new Books());
                Queue first = device.newQueue("first");
                Queue second = device.newQueue("second")) {
            Tensor x = device.allocate(MemoryCategory.WORKSPACE, Shape.of(12, count), DType.FP32);
            device.kernels().elementwise().fill(first, x, -1);
            second.await(first.record());
            var host = new float[count];
            for (int i = 0; i < 12; i++) {
                Arrays.fill(host, i);
                device.transfer().upload(i % 2 == 0 ? first : second, MemorySegment.ofArray(host), x.rows(i, 1));
            }
            first.await(second.record());
            var back = new float[12 * count];
            device.transfer().download(first, x, MemorySegment.ofArray(back));
            for (int i = 0; i < back.length; i++) {
                assertEquals(i / count, back[i]);
            }
        }
    }

    /** Like loss and norm, which a separate queue reads. */
    @Test
    void readingWithAnotherQueueKeepsTheHomeOfAllocations() {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("compute");
                Queue reading = device.newQueue("results")) {
            Shape shape = Shape.of(40);
            Tensor x = device.allocate(MemoryCategory.WORKSPACE, shape, DType.FP32);
            device.kernels().elementwise().fill(queue, x, 5);
            reading.await(queue.record());
            var back = new float[40];
            device.transfer().download(reading, x, MemorySegment.ofArray(back));
            assertEquals(5, back[39]);
            int waits = stub.calls("cuStreamWaitEvent");
            try (Tensor y = device.allocate(MemoryCategory.ACTIVATIONS, shape, DType.FP32)) {
                device.kernels().elementwise().fill(queue, y, 6);
            }
            assertEquals(waits, stub.calls("cuStreamWaitEvent"));
        }
    }

    private static AdamWOperands operands(Tensor memory, int index) {
        List<Tensor> row = Stream.iterate(0, i -> i + 1)
                .limit(4)
                .map(i -> memory.view((i * 291L + index) * 5, Shape.of(5)))
                .toList();
        return new AdamWOperands(row.get(0), row.get(1), row.get(2), row.get(3));
    }
}
