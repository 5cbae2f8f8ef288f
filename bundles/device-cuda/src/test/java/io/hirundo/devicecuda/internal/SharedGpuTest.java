package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.compile.Cubins;
import io.hirundo.devicecuda.internal.compile.Nvrtc;
import io.hirundo.devicecuda.internal.driver.Driver;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.CudaQueue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ranks that share a GPU and use each other's tensors on shared threads. */
class SharedGpuTest {
    private static final Shape SHAPE = Shape.of(1000);

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
    }

    private static float[] read(Device device, Queue queue, Tensor tensor) {
        var values = new float[(int) tensor.elements()];
        device.transfer().download(queue, tensor, MemorySegment.ofArray(values));
        return values;
    }

    private static float[] all(float value) {
        var values = new float[(int) SHAPE.elements()];
        Arrays.fill(values, value);
        return values;
    }

    @Test
    void countsAllocationsPerDevice() {
        ComputeBackend shared = stub.backend().sharedBy(2);
        try (Device mine = shared.open(0, new Books());
                Device theirs = shared.open(0, new Books());
                Queue queue = mine.newQueue("messages")) {
            // This queue follows many allocations of its own device, which say nothing about the other device.
            for (int i = 0; i < 10; i++) {
                Tensor own = mine.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
                mine.kernels().elementwise().fill(queue, own, i);
                own.close();
            }
            Tensor first = theirs.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            mine.kernels().elementwise().fill(queue, first, 5);
            queue.drain();
            // By now the other device has allocated the memory, which must have happened before.
            Tensor second = theirs.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            try (Queue other = theirs.newQueue("compute")) {
                theirs.kernels().elementwise().fill(other, second, 6);
            }
            assertArrayEquals(all(5), read(mine, queue, first));
        }
    }

    @Test
    void setsTheContextAfterAThreadChangeDuringALaunch() throws InterruptedException {
        try (Device device = stub.backend().open(0, new Books());
                Queue queue = device.newQueue("messages")) {
            CudaQueue cuda = CudaQueue.of(queue);
            device.kernels()
                    .elementwise()
                    .fill(queue, device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32), 0);
            Tensor fresh = device.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            var failures = new Throwable[1];
            // A thread that has never called the driver has no context.
            var thread = new Thread(() -> ((CudaTensor) fresh).on(cuda));
            thread.setUncaughtExceptionHandler((ended, failure) -> failures[0] = failure);
            thread.start();
            thread.join();
            assertEquals(null, failures[0], "a wait for the allocation");
            var closing = new Thread(fresh::close);
            closing.setUncaughtExceptionHandler((ended, failure) -> failures[0] = failure);
            closing.start();
            closing.join();
            assertEquals(null, failures[0], "the end of memory");
        }
    }

    @Test
    void reportsADriverThatIsTooOld() {
        var old = new Driver(null, 11_080, List.of(), List.of());
        var installation = new Installation(List.of(), Path.of("kernels"), Cubins.none());
        var failure = assertThrows(DeviceException.class, () -> installation.machineCode(new CudaOptions(), old));
        assertEquals(
                "the driver is for CUDA 11.8, and kernels need 12.0 or newer: update the driver", failure.getMessage());
    }

    @Test
    void looksForNoCompilerNewerThanTheDriver() {
        assertEquals(
                List.of(
                        "/cuda/lib64/libnvrtc.so.12",
                        "/cuda/lib/libnvrtc.so.12",
                        "/cuda/../cuda_nvrtc/lib/libnvrtc.so.12",
                        "libnvrtc.so.12"),
                Nvrtc.candidates("/cuda", 12080));
        assertEquals(
                List.of("libnvrtc.so.13", "libnvrtc.so.12"),
                Nvrtc.candidates("/cuda", 14000).subList(6, 8));
    }
}
