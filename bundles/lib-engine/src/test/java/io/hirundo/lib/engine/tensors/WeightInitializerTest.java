package io.hirundo.lib.engine.tensors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.EagerTransfer;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.device.Transfer;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.model.parameter.Initialization;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class WeightInitializerTest {
    private static final Initialization NORMAL = Initialization.normal(0.02);
    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final String PATH = "model.layers.0.mlp.up_proj.weight";

    private WeightInitializer initializer = new WeightInitializer(1234);

    @Test
    void initializesAShardLikeTheFullTensor() {
        Shape whole = Shape.of(6, 5);
        float[] all = initialize(ParameterPart.whole(PATH, whole));
        float[] shard = initialize(new ParameterPart(PATH, whole, List.of(2L, 1L), Shape.of(3, 4)));
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 4; column++) {
                assertEquals(all[(row + 2) * 5 + column + 1], shard[row * 4 + column]);
            }
        }
    }

    @Test
    void initializesFusedParametersByTheNamesOfTheirParts() {
        var first = ParameterPart.whole("a", Shape.of(2, 3));
        var second = ParameterPart.whole("b", Shape.of(1, 3));
        float[] fused = initialize(first, second);
        float[] alone = initialize(second);
        for (int column = 0; column < 3; column++) {
            assertEquals(alone[column], fused[6 + column]);
        }
    }

    @Test
    void valuesAreStableAndIndependentOfTheChunkSize() {
        checkValues();
        for (long chunkBytes : List.of(1_000L, 100_000L, 200_056L)) {
            initializer = new WeightInitializer(1234, chunkBytes);
            checkValues();
        }
    }

    private void checkValues() {
        var part = new ParameterPart(PATH, Shape.of(5, 30_011), List.of(1L, 3L), Shape.of(4, 30_007));
        var vector = ParameterPart.whole("model.norm.weight", Shape.of(40_001));
        assertEquals(
                List.of(43_905_258L, 4_163_148_168L, 2_839_164_747L),
                List.of(
                        crc(DType.FP32, NORMAL, part),
                        crc(DType.FP64, NORMAL, part),
                        crc(DType.FP32, new Initialization(1, 0.5), vector)));
    }

    @Test
    void needsHostMemoryForTwoChunks() {
        var spec = new ParameterSpec("parameter", List.of(ParameterPart.whole(PATH, Shape.of(50, 1000))), NORMAL);
        var hosts = new HashSet<MemorySegment>();
        try (Device device = open();
                var queue = device.newQueue("test");
                Tensor value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), DType.FP32)) {
            Device watched = transferring((to, host, tensor) -> {
                hosts.add(host);
                device.transfer().uploadAtOnce(to, host, tensor);
            });
            new WeightInitializer(1234, 30_000).initialize(watched, queue, List.of(new Fixed(spec, value)));
        }
        assertEquals(2, hosts.size());
        hosts.forEach(host -> assertEquals(28_000, host.byteSize(), "bytes of seven whole rows"));
    }

    @Test
    void throwsAFailureOfTheDeviceAfterFreeingHostMemory() {
        var spec = new ParameterSpec("parameter", List.of(ParameterPart.whole(PATH, Shape.of(500, 1000))), NORMAL);
        var hosts = new HashSet<MemorySegment>();
        try (Device device = open();
                var queue = device.newQueue("test");
                Tensor value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), DType.FP32)) {
            Device failing = transferring((_, host, _) -> {
                hosts.add(host);
                throw new DeviceException("it is gone");
            });
            var initializer = new WeightInitializer(1234, 1_000_000);
            var failure = assertThrows(
                    DeviceException.class,
                    () -> initializer.initialize(failing, queue, List.of(new Fixed(spec, value))));
            assertEquals(0, failure.getSuppressed().length, "the other chunk succeeded");
        }
        assertEquals(
                List.of(false),
                hosts.stream().map(host -> host.scope().isAlive()).toList());
    }

    @Test
    void throwsAFailureToComputeAValue() {
        var part = ParameterPart.whole(PATH, Shape.of(500, 1000));
        try (Device device = open();
                Tensor value = device.allocate(MemoryCategory.WEIGHTS, part.shape(), DType.FP32);
                Arena arena = Arena.ofShared()) {
            var making = new InitialChunk(part, new InitialValues(PATH, 1234, NORMAL), value)
                    .begin(arena.allocate(1000, 64));
            assertThrows(IndexOutOfBoundsException.class, making::close);
        }
    }

    private static Device open() {
        return new CpuBackendFactory()
                .create(new CpuOptions(1, CpuOptions.REFERENCE))
                .open(0, new AccountedLedger(1L << 30));
    }

    /** A device on which only uploads are allowed. */
    private static Device transferring(Upload upload) {
        Transfer transfer = new EagerTransfer() {
            @Override
            public void upload(Queue queue, MemorySegment host, Tensor tensor) {
                upload.upload(queue, host, tensor);
            }

            @Override
            public void download(Queue queue, Tensor tensor, MemorySegment host) {
                throw new AssertionError("unexpected call");
            }
        };
        return (Device) Proxy.newProxyInstance(
                Device.class.getClassLoader(), new Class<?>[] {Device.class}, (proxy, method, arguments) -> transfer);
    }

    private interface Upload {
        void upload(Queue queue, MemorySegment host, Tensor tensor);
    }

    private long crc(DType dtype, Initialization initialization, ParameterPart part) {
        var crc = new CRC32();
        crc.update(initialize(dtype, new ParameterSpec("parameter", List.of(part), initialization)));
        return crc.getValue();
    }

    private float[] initialize(ParameterPart... parts) {
        byte[] bytes = initialize(DType.FP32, new ParameterSpec("parameter", List.of(parts), NORMAL));
        return MemorySegment.ofArray(bytes).toArray(FP32);
    }

    private byte[] initialize(DType dtype, ParameterSpec spec) {
        try (Device device = open();
                var queue = device.newQueue("test");
                Tensor value = device.allocate(MemoryCategory.WEIGHTS, spec.shape(), dtype);
                Arena arena = Arena.ofConfined()) {
            initializer.initialize(device, queue, List.of(new Fixed(spec, value)));
            MemorySegment host = arena.allocate(value.byteSize(), 64);
            device.transfer().download(queue, value, host);
            queue.drain();
            return host.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private record Fixed(ParameterSpec spec, Tensor value) implements Parameter {
        @Override
        public Tensor gradient() {
            throw new AssertionError("unexpected call");
        }
    }
}
