package io.hirundo.devicecuda.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Books;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Assignment of several GPUs to ranks, and access to each other's memory. */
class SeveralGpusTest {
    private static final Shape SHAPE = Shape.of(3);

    private StubCuda stub;

    @BeforeEach
    void stub() {
        stub = StubCuda.orSkip();
        stub.gpus(4, true);
    }

    @AfterEach
    void one() {
        if (stub != null) {
            stub.gpus(1, true);
        }
    }

    private static List<Integer> ordinals(ComputeBackend backend) {
        return backend.devices().stream().map(device -> device.ordinal()).toList();
    }

    /** The GPU of the backend's first device. */
    private int gpu(ComputeBackend backend) {
        Device device = backend.open(0, new Books());
        int context = stub.context();
        device.close();
        return context;
    }

    @Test
    void assignsOneGpuPerRank() {
        long whole = stub.backend().devices().getFirst().memoryBytes();
        ComputeBackend three = stub.backend().sharedBy(3);
        assertEquals(List.of(0, 1, 2), ordinals(three));
        assertEquals(whole, three.devices().getLast().memoryBytes());
        ComputeBackend eight = stub.backend().sharedBy(8);
        assertEquals(List.of(0, 1, 2, 3), ordinals(eight));
        assertEquals(whole / 2, eight.devices().getLast().memoryBytes());
    }

    @Test
    void usesOneGpuWithoutPeerAccess() {
        stub.gpus(4, false);
        long whole = stub.backend().devices().getFirst().memoryBytes();
        ComputeBackend three = stub.backend().sharedBy(3);
        assertEquals(List.of(0), ordinals(three));
        assertEquals(whole / 3, three.devices().getFirst().memoryBytes());
        try (Device device = three.open(0, new Books())) {
            assertEquals(three.devices().getFirst(), device.info());
        }
        assertEquals(List.of(0, 1, 2, 3), ordinals(stub.backend()), "a single rank needs no peer access");
    }

    @Test
    void assignsOneGpuPerProcess() {
        assertEquals(0, gpu(stub.backend("0")));
        assertEquals(3, gpu(stub.backend("3")));
        assertEquals(1, gpu(stub.backend("5")));
        assertEquals(List.of(0), ordinals(stub.backend("3")));
        assertEquals(2, gpu(stub.backend("2").sharedBy(2)));
    }

    @Test
    void usesTheConfiguredGpu() {
        assertEquals(2, gpu(stub.backend(2)));
        assertEquals(2, gpu(stub.backend(2).sharedBy(4)));
        var failure =
                assertThrows(ConfigurationException.class, () -> stub.backend(4).devices());
        assertEquals("device.options.ordinal: there is no GPU 4; this machine's are 0 to 3", failure.getMessage());
    }

    @Test
    void ranksAccessEachOthersMemory() {
        ComputeBackend backend = stub.backend().sharedBy(2);
        try (Device mine = backend.open(0, new Books());
                Device theirs = backend.open(1, new Books());
                Queue here = mine.newQueue("here");
                Queue there = theirs.newQueue("there")) {
            assertTrue(stub.sees(0, 1));
            assertTrue(stub.sees(1, 0));
            assertFalse(stub.sees(2, 0), "a GPU that no rank has");
            Tensor sum = mine.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            mine.kernels().elementwise().fill(here, sum, 0);
            for (int turn = 1; turn <= 3; turn++) {
                // Allocated and filled there, read here, and freed there while the read is pending.
                Tensor x = theirs.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
                theirs.kernels().elementwise().fill(there, x, turn);
                there.drain();
                mine.kernels().elementwise().add(here, x, sum);
                x.close();
            }
            var values = new float[3];
            mine.transfer().download(here, sum, MemorySegment.ofArray(values));
            assertArrayEquals(new float[] {6, 6, 6}, values);
            theirs.transfer().download(there, sum, MemorySegment.ofArray(values));
            assertArrayEquals(new float[] {6, 6, 6}, values);
        }
    }

    @Test
    void closeDoesNotAffectOtherDevices() {
        int before = stub.live();
        ComputeBackend backend = stub.backend().sharedBy(2);
        try (Device mine = backend.open(0, new Books());
                Queue here = mine.newQueue("here")) {
            Tensor sum = mine.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
            mine.kernels().elementwise().fill(here, sum, 1);
            Tensor left;
            try (Device theirs = backend.open(1, new Books());
                    Queue there = theirs.newQueue("there")) {
                left = theirs.allocate(MemoryCategory.ACTIVATIONS, SHAPE, DType.FP32);
                theirs.kernels().elementwise().fill(there, left, 5);
                there.drain();
                mine.kernels().elementwise().add(here, left, sum);
            }
            var values = new float[3];
            mine.transfer().download(here, sum, MemorySegment.ofArray(values));
            assertArrayEquals(new float[] {6, 6, 6}, values);
        }
        assertEquals(before, stub.live());
    }
}
