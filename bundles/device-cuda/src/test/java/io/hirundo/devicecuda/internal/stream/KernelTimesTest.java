package io.hirundo.devicecuda.internal.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.device.Device;
import io.hirundo.device.KernelTimer;
import io.hirundo.device.KernelTimes;
import io.hirundo.device.KernelTimes.KernelTime;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On the stub a kernel takes two milliseconds and a copy one, in each stream separately. */
class KernelTimesTest {
    private static final long MILLISECOND = 1_000_000;
    private static final Shape SHAPE = Shape.of(40);

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    @Test
    void namesKernelsAndCountsGapsAsIdle() {
        int before = stub.live();
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("compute")) {
            var elementwise = device.kernels().elementwise();
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            Tensor y = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            elementwise.fill(queue, x, 1);
            int waits = stub.calls("cuEventSynchronize");
            try (KernelTimer timer = device.timeKernels().orElseThrow()) {
                assertThrows(IllegalStateException.class, device::timeKernels);
                // The copies stand for a late host: one before all kernels, one in between.
                device.transfer().upload(queue, MemorySegment.ofArray(new float[40]), x);
                elementwise.fill(queue, y, 1);
                device.transfer().upload(queue, MemorySegment.ofArray(new float[40]), x);
                elementwise.add(queue, x, y);
                elementwise.add(queue, y, x);
                assertEquals(waits, stub.calls("cuEventSynchronize"), "nothing is waited for until somebody asks");
                var expected = new KernelTimes(
                        List.of(
                                new KernelTime("elementwise.add_f32_f32", 2, 4 * MILLISECOND),
                                new KernelTime("elementwise.fill_f32", 1, 2 * MILLISECOND)),
                        8 * MILLISECOND,
                        6 * MILLISECOND);
                assertEquals(expected, timer.times());
                assertEquals(6.0 / 8, expected.busyShare());
            }
            int records = stub.calls("cuEventRecord");
            elementwise.fill(queue, x, 1);
            assertEquals(records, stub.calls("cuEventRecord"), "no longer");
            try (KernelTimer again = device.timeKernels().orElseThrow()) {
                assertEquals(new KernelTimes(List.of(), 0, 0), again.times());
                assertEquals(0, again.times().busyShare());
            }
        }
        assertEquals(before, stub.live());
    }

    @Test
    void countsOverlappingKernelsOnce() {
        try (Device device = stub.backend().open(0, new Books());
                Queue first = device.newQueue("first");
                Queue second = device.newQueue("second");
                KernelTimer timer = device.timeKernels().orElseThrow()) {
            var elementwise = device.kernels().elementwise();
            Tensor x = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(2, 40), DType.FP32);
            for (int i = 0; i < 3; i++) {
                elementwise.fill(first, x.rows(0, 1), 1);
            }
            elementwise.fill(second, x.rows(1, 1), 1);
            KernelTimes times = timer.times();
            assertEquals(List.of(new KernelTime("elementwise.fill_f32", 4, 8 * MILLISECOND)), times.kernels());
            assertEquals(6 * MILLISECOND, times.busyNanos());
            assertEquals(6 * MILLISECOND, times.spanNanos());
        }
    }
}
