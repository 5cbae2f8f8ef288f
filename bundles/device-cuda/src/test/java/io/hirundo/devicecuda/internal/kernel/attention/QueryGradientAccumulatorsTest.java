package io.hirundo.devicecuda.internal.kernel.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.fixture.StubCuda;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory of dQ accumulators: the meta device allocates and frees what a GPU does. */
class QueryGradientAccumulatorsTest {
    private final StubCuda stub = StubCuda.orSkip();

    /** Live and peak bytes, with a limit. */
    private static final class Peaks implements DeviceLedger {
        private final Map<MemoryCategory, Long> live = new EnumMap<>(MemoryCategory.class);
        private final Map<MemoryCategory, Long> most = new EnumMap<>(MemoryCategory.class);
        private long limitBytes = Long.MAX_VALUE;

        @Override
        public void reserve(MemoryCategory category, long bytes) {
            if (bytes > limitBytes) {
                throw new DeviceException("over budget");
            }
            most.merge(category, live.merge(category, bytes, Long::sum), Math::max);
        }

        @Override
        public void release(MemoryCategory category, long bytes) {
            live.merge(category, -bytes, Long::sum);
        }

        @Override
        public void work(String kernel, long flops, long movedBytes) {}
    }

    /** {@code firstKey}: offset of the keys in their allocation, in elements. */
    private static void backward(Device device, AttentionShape shape, DType dtype, int firstKey) {
        Heads heads = shape.heads();
        Shape queries = Shape.of(shape.sequences(), heads.query(), shape.queryTokens(), heads.dim());
        Shape keys = Shape.of(shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim());
        Shape rows = Shape.of((long) shape.sequences() * shape.queryTokens(), heads.outputChannels());
        try (Queue queue = device.newQueue("backward");
                Tensor query = device.allocate(MemoryCategory.ACTIVATIONS, queries, dtype);
                Tensor keyMemory =
                        device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(firstKey + keys.elements()), dtype);
                Tensor output = device.allocate(MemoryCategory.ACTIVATIONS, rows, dtype);
                Tensor logSumExp = device.allocate(
                        MemoryCategory.ACTIVATIONS,
                        Shape.of(shape.sequences(), heads.query(), shape.queryTokens()),
                        DType.FP32);
                Tensor ofQuery = device.allocate(MemoryCategory.GRADIENTS, queries, dtype);
                Tensor ofKey = device.allocate(MemoryCategory.GRADIENTS, keys, dtype);
                Tensor ofValue = device.allocate(MemoryCategory.GRADIENTS, keys, dtype)) {
            Tensor key = keyMemory.view(firstKey, keys);
            for (Tensor tensor : new Tensor[] {query, key, output, logSumExp}) {
                device.kernels().elementwise().fill(queue, tensor, 0);
            }
            var in = new QueryKeyValue(query, key, key);
            device.kernels()
                    .attention()
                    .backward(queue, shape, output, in, output, logSumExp, new QueryKeyValue(ofQuery, ofKey, ofValue));
            queue.drain();
        }
    }

    private static ComputeBackend counting(ComputeBackend real) {
        var profile = real.memoryProfile();
        return new MetaFactory()
                .create(new MetaOptions(
                        profile.deviceName(),
                        profile.alignmentBytes(),
                        profile.workspaceBytes(),
                        profile.sumsQueryGradients(),
                        0,
                        null,
                        List.of()));
    }

    private static Map<MemoryCategory, Long> most(ComputeBackend backend, AttentionShape shape, DType dtype) {
        return most(backend, shape, dtype, 0);
    }

    private static Map<MemoryCategory, Long> most(
            ComputeBackend backend, AttentionShape shape, DType dtype, int firstKey) {
        var ledger = new Peaks();
        try (Device device = backend.open(0, ledger)) {
            long before = ledger.live.get(MemoryCategory.WORKSPACE);
            backward(device, shape, dtype, firstKey);
            assertEquals(before, ledger.live.get(MemoryCategory.WORKSPACE), "given back");
        }
        return ledger.most;
    }

    @ParameterizedTest
    @CsvSource({"BF16, 64, 65, 65", "BF16, 128, 64, 130", "BF16, 32, 9, 9", "BF16, 64, 9, 0", "FP32, 64, 9, 9"})
    void planEqualsTheGpu(DType dtype, int channels, int queries, int keys) {
        var shape = new AttentionShape(2, queries, keys, new Heads(2, 1, channels), 0);
        assertEquals(most(counting(stub.backend()), shape, dtype), most(stub.backend(), shape, dtype));
        assertEquals(
                most(counting(stub.attendingByWarps()), shape, dtype), most(stub.attendingByWarps(), shape, dtype));
    }

    /** The naive kernels support operands at any alignment. */
    @Test
    void planDependsOnTheChosenKernels() {
        var shape = new AttentionShape(2, 65, 65, new Heads(2, 1, 64), 0);
        var taken = most(stub.backend(), shape, DType.BF16, 8);
        assertEquals(most(counting(stub.backend()), shape, DType.BF16, 8), taken);
        var ofNaive = most(stub.backend(), shape, DType.BF16, 4);
        assertEquals(most(counting(stub.backend()), shape, DType.BF16, 4), ofNaive);
        assertTrue(
                ofNaive.get(MemoryCategory.WORKSPACE) < taken.get(MemoryCategory.WORKSPACE), ofNaive + " and " + taken);
    }

    @Test
    void onlyWarpgroupKernelsNeedIt() {
        var shape = new AttentionShape(1, 9, 9, new Heads(1, 1, 64), 0);
        // A tile with its counters, rounded to 512 bytes.
        long sums = 64 * 64 * 4 + 512;
        long reserved = stub.attendingByWarps().memoryProfile().workspaceBytes();
        assertEquals(reserved, most(stub.attendingByWarps(), shape, DType.BF16).get(MemoryCategory.WORKSPACE));
        assertEquals(reserved + sums, most(stub.backend(), shape, DType.BF16).get(MemoryCategory.WORKSPACE));
    }

    @Test
    void namesThePurposeOfMissingMemory() {
        var ledger = new Peaks();
        try (Device device = stub.backend().open(0, ledger)) {
            ledger.limitBytes = 10_000;
            var shape = new AttentionShape(1, 9, 9, new Heads(1, 1, 64), 0);
            var failure = assertThrows(DeviceException.class, () -> backward(device, shape, DType.BF16, 0));
            assertTrue(
                    failure.getMessage().startsWith("no memory for the dQ accumulators (WORKSPACE): "),
                    failure.getMessage());
        }
    }
}
