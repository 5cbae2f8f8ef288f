package io.hirundo.devicecpu.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.fixture.RecordingLedger;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.LossKernels;
import io.hirundo.kernel.NormKernels;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.optimizer.OptimizerKernels;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.MatrixScaledKernels;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CpuDeviceTest {
    private final ComputeBackend backend = new CpuBackendFactory().create(new CpuOptions(2, CpuOptions.VECTOR));

    @Test
    void machineIsOneDevice() {
        var info = backend.devices().getFirst();
        assertEquals(1, backend.devices().size());
        assertEquals("cpu", info.backend());
        assertTrue(info.memoryBytes() > 0);
        assertThrows(DeviceException.class, () -> backend.open(1, new RecordingLedger()));
    }

    @Test
    void rejectsInvalidOptions() {
        var factory = new CpuBackendFactory();
        assertThrows(ConfigurationException.class, () -> factory.create(new CpuOptions(-1, CpuOptions.VECTOR)));
        assertThrows(ConfigurationException.class, () -> factory.create(new CpuOptions(1, "fast")));
        assertEquals(Runtime.getRuntime().availableProcessors(), new CpuOptions().workerCount(1));
    }

    @Test
    void ranksShareMemoryAndCores() {
        long machineBytes = backend.devices().getFirst().memoryBytes();
        int cores = Runtime.getRuntime().availableProcessors();
        ComputeBackend whole = new CpuBackendFactory().create(new CpuOptions());
        ComputeBackend halved = whole.sharedBy(2);
        assertEquals(machineBytes / 2, halved.devices().getFirst().memoryBytes());
        assertEquals(
                workspaceBytes(Math.max(1, cores / 2)), halved.memoryProfile().workspaceBytes());
        assertEquals(
                workspaceBytes(1),
                whole.sharedBy(1000 * cores).memoryProfile().workspaceBytes(),
                "one worker at least");
        assertEquals(
                workspaceBytes(cores), halved.sharedBy(1).memoryProfile().workspaceBytes(), "the last number holds");
        assertEquals(workspaceBytes(2), backend.sharedBy(16).memoryProfile().workspaceBytes(), "as many as asked for");
        assertThrows(IllegalArgumentException.class, () -> backend.sharedBy(0));
    }

    /** Families of the API by their type, too, and none that the device does not know. */
    @Test
    void findsKernelsByFamily() {
        try (Device device = backend.open(0, new RecordingLedger())) {
            Kernels kernels = device.kernels();
            for (Class<?> family : List.of(
                    GemmKernels.class,
                    NormKernels.class,
                    AttentionKernels.class,
                    GatedMlpKernels.class,
                    EmbeddingKernels.class,
                    LossKernels.class,
                    OptimizerKernels.class,
                    ElementwiseKernels.class,
                    BlockScaledKernels.class,
                    MatrixScaledKernels.class,
                    PieceScaledKernels.class)) {
                assertTrue(family.isInstance(kernels.find(family).orElseThrow()), family::getName);
            }
            assertSame(kernels.norm(), kernels.find(NormKernels.class).orElseThrow());
            assertTrue(kernels.find(Runnable.class).isEmpty());
        }
    }

    private static long workspaceBytes(int workers) {
        return workers * Scratch.WORKER_BYTES + CpuBackend.SHARED_BYTES;
    }

    @Test
    void eachRankOpensTheDeviceOfTheMachine() {
        RecordingLedger ledger = new RecordingLedger();
        ComputeBackend shared = backend.sharedBy(2);
        try (Device first = shared.open(0, ledger);
                Device second = shared.open(0, new RecordingLedger())) {
            assertEquals(shared.devices().getFirst(), first.info());
            assertEquals(shared.memoryProfile().workspaceBytes(), ledger.live(MemoryCategory.WORKSPACE));
            long more = shared.devices().getFirst().memoryBytes() / 4 + 1;
            assertThrows(
                    DeviceException.class, () -> first.allocate(MemoryCategory.WEIGHTS, Shape.of(more), DType.FP32));
            second.kernels()
                    .elementwise()
                    .fill(null, second.allocate(MemoryCategory.WEIGHTS, Shape.of(7), DType.FP32), 1);
            assertThrows(DeviceException.class, () -> shared.open(1, new RecordingLedger()));
        }
    }

    @Test
    void rejectedAllocationIsNotBooked() {
        RecordingLedger ledger = new RecordingLedger();
        try (Device device = backend.open(0, ledger)) {
            long before = ledger.total();
            DeviceException failure = assertThrows(
                    DeviceException.class,
                    () -> device.allocate(MemoryCategory.OPTIMIZER, Shape.of(1L << 40, 4), DType.FP64));
            assertTrue(failure.getMessage().contains("[1099511627776, 4] FP64 (OPTIMIZER)"), failure.getMessage());
            assertEquals(before, ledger.total());
        }
        RecordingLedger small = new RecordingLedger(1000);
        assertThrows(DeviceException.class, () -> backend.open(0, small));
        assertEquals(0, small.total());
    }

    @Test
    void theSameProgramGetsTheSameAddresses() {
        try (Device device = backend.open(0, new RecordingLedger())) {
            long[] first = addressesOfAProgram(device);
            assertArrayEquals(first, addressesOfAProgram(device));
        }
    }

    private static long[] addressesOfAProgram(Device device) {
        CpuTensor a = (CpuTensor) device.allocate(MemoryCategory.WEIGHTS, Shape.of(1000), DType.FP32);
        CpuTensor b = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(77, 3), DType.FP32);
        a.close();
        CpuTensor c = (CpuTensor) device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(5), DType.INT32);
        long[] addresses = {a.address(), b.address(), c.address()};
        b.close();
        c.close();
        return addresses;
    }

    @Test
    void rejectsUseAfterClose() {
        CpuTensor left;
        try (Device device = backend.open(0, new RecordingLedger())) {
            CpuTensor tensor = (CpuTensor) device.allocate(MemoryCategory.WEIGHTS, Shape.of(4), DType.FP32);
            Tensor view = tensor.reshape(2, 2);
            assertFalse(tensor.isClosed());
            tensor.close();
            assertThrows(IllegalStateException.class, tensor::close);
            assertThrows(IllegalStateException.class, () -> CpuTensor.CHECK.of("x", tensor));
            assertThrows(IllegalStateException.class, () -> CpuTensor.CHECK.of("x", view));
            assertThrows(IllegalStateException.class, () -> tensor.rows(0, 1));
            left = (CpuTensor) device.allocate(MemoryCategory.WEIGHTS, Shape.of(4), DType.FP32);
        }
        assertTrue(left.isClosed());
    }

    @Test
    void bf16RoundsToNearestEven() {
        assertEquals((short) 0x3f80, Bf16.fromFloat(1f));
        assertEquals((short) 0x3f80, Bf16.fromFloat(Float.intBitsToFloat(0x3f80_8000)), "tie to even, down");
        assertEquals((short) 0x3f82, Bf16.fromFloat(Float.intBitsToFloat(0x3f81_8000)), "tie to even, up");
        assertEquals((short) 0x3f81, Bf16.fromFloat(Float.intBitsToFloat(0x3f80_8001)));
        assertEquals((short) 0x7f80, Bf16.fromFloat(Float.MAX_VALUE), "overflows to infinity");
        assertEquals((short) 0x8000, Bf16.fromFloat(-0f));
        assertTrue(Float.isNaN(Bf16.toFloat(Bf16.fromFloat(Float.intBitsToFloat(0x7f80_0001)))));
        for (int bits = 0; bits < 65536; bits++) {
            float value = Bf16.toFloat((short) bits);
            assertTrue(Float.isNaN(value) || Bf16.fromFloat(value) == (short) bits);
        }
    }
}
