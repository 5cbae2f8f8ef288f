package io.hirundo.devicemeta.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.MemoryProfile;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetaDeviceTest {
    private final BookedLedger ledger = new BookedLedger();

    private Device open(MetaOptions options) {
        return new MetaFactory().create(options).open(0, ledger);
    }

    @Test
    void impersonatesAProfile() {
        var backend = new MetaFactory().create(new MetaOptions("H200", 512, 1000, 1 << 20, null));
        assertEquals(new MemoryProfile("H200", 512, 1000), backend.memoryProfile());
        assertEquals(1 << 20, backend.devices().getFirst().memoryBytes());
        assertEquals(
                Long.MAX_VALUE,
                new MetaFactory().create(new MetaOptions()).devices().getFirst().memoryBytes());
    }

    @Test
    void eachRankHasTheWholeDeviceThatIsImpersonated() {
        var backend = new MetaFactory().create(new MetaOptions("H200", 512, 1000, 1 << 20, null));
        assertEquals(backend.memoryProfile(), backend.sharedBy(8).memoryProfile());
        assertEquals(backend.devices(), backend.sharedBy(8).devices());
    }

    @Test
    void booksEveryByteRoundedUnderItsCategory() {
        try (Device device = open(new MetaOptions("x", 256, 1000, 0, null))) {
            assertFalse(device.computes());
            assertEquals(Map.of(MemoryCategory.WORKSPACE, 1024L), ledger.live);
            Tensor one = device.allocate(MemoryCategory.WEIGHTS, Shape.of(1), DType.BF16);
            Tensor exact = device.allocate(MemoryCategory.WEIGHTS, Shape.of(8, 8), DType.FP32);
            Tensor none = device.allocate(MemoryCategory.ACTIVATIONS, Shape.of(0, 8), DType.FP32);
            assertEquals(512, ledger.live.get(MemoryCategory.WEIGHTS));
            assertEquals(0, ledger.live.get(MemoryCategory.ACTIVATIONS));
            exact.close();
            assertEquals(256, ledger.live.get(MemoryCategory.WEIGHTS));
            one.close();
            none.close();
            assertEquals(Map.of(MemoryCategory.WORKSPACE, 1024L), ledger.live);
        }
        assertEquals(Map.of(), ledger.live);
    }

    @Test
    void closingGivesBackWhatIsLeft() {
        Device device = open(new MetaOptions());
        Tensor left = device.allocate(MemoryCategory.WEIGHTS, Shape.of(5), DType.FP64);
        device.close();
        assertEquals(Map.of(), ledger.live);
        assertThrows(IllegalStateException.class, left::close);
        assertThrows(
                IllegalStateException.class, () -> device.allocate(MemoryCategory.WEIGHTS, Shape.of(5), DType.FP64));
    }

    @Test
    void refusesMoreThanItHas() {
        try (Device device = open(new MetaOptions("small", 64, 64, 192, null))) {
            Tensor fits = device.allocate(MemoryCategory.WEIGHTS, Shape.of(32), DType.FP32);
            var refusal = assertThrows(
                    DeviceException.class, () -> device.allocate(MemoryCategory.WEIGHTS, Shape.of(1), DType.FP32));
            assertTrue(refusal.getMessage().contains("192 of 192 are in use"), refusal.getMessage());
            fits.close();
            device.allocate(MemoryCategory.WEIGHTS, Shape.of(32), DType.FP32).close();
        }
    }

    @Test
    void tensorsAreAsStrictAsReal() {
        try (Device device = open(new MetaOptions())) {
            Tensor tensor = device.allocate(MemoryCategory.WEIGHTS, Shape.of(4, 3), DType.FP32);
            Tensor rows = tensor.rows(1, 3);
            assertEquals(Shape.of(3, 3), rows.shape());
            assertEquals(Shape.of(1), rows.view(8, Shape.of(1)).shape());
            assertThrows(IllegalArgumentException.class, () -> tensor.rows(2, 3));
            assertThrows(IllegalArgumentException.class, () -> tensor.view(-1, Shape.of(1)));
            assertThrows(IllegalArgumentException.class, () -> rows.view(8, Shape.of(2)));
            rows.close();
            device.kernels().elementwise().fill(null, tensor, 0);
            tensor.close();
            assertThrows(IllegalStateException.class, tensor::close);
            assertThrows(
                    IllegalStateException.class,
                    () -> device.kernels().elementwise().fill(null, rows, 0));
        }
    }

    @Test
    void readsBackNaNOrZero() {
        try (Device device = open(new MetaOptions());
                Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(24);
            for (DType dtype : DType.values()) {
                host.fill((byte) 1);
                Tensor tensor = device.allocate(MemoryCategory.WORKSPACE, Shape.of(2), dtype);
                device.transfer().upload(null, host, tensor);
                device.transfer().download(null, tensor, host);
                switch (dtype) {
                    case FP64 -> assertTrue(Double.isNaN(host.getAtIndex(ValueLayout.JAVA_DOUBLE, 1)));
                    case FP32 -> assertTrue(Float.isNaN(host.getAtIndex(ValueLayout.JAVA_FLOAT, 1)));
                    case BF16 ->
                        assertTrue(Float.isNaN(Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, 1) << 16)));
                    case FP8_E4M3, FP8_E5M2 -> assertEquals(0x7f, host.get(ValueLayout.JAVA_BYTE, 1));
                    case INT32 -> assertEquals(0, host.getAtIndex(ValueLayout.JAVA_INT, 1));
                }
                assertEquals(1, host.get(ValueLayout.JAVA_BYTE, tensor.byteSize()));
            }
            Tensor large = device.allocate(MemoryCategory.WORKSPACE, Shape.of(4), DType.FP64);
            assertThrows(IllegalArgumentException.class, () -> device.transfer().upload(null, host, large));
        }
        assertEquals(List.of("transfer.upload 0 16", "transfer.download 0 16"), ledger.work.subList(0, 2));
    }

    @Test
    void refusesImpossibleOptionsByName() {
        var factory = new MetaFactory();
        var refusal =
                assertThrows(ConfigurationException.class, () -> factory.create(new MetaOptions("x", 48, 0, 0, null)));
        assertEquals("device.options.alignmentBytes: 48 is wrong (allowed: a power of two)", refusal.getMessage());
        assertThrows(
                ConfigurationException.class, () -> factory.create(new MetaOptions("x", Long.MIN_VALUE, 0, 0, null)));
        assertThrows(ConfigurationException.class, () -> factory.create(new MetaOptions("x", 64, -1, 0, null)));
        assertThrows(ConfigurationException.class, () -> factory.create(new MetaOptions("x", 64, 0, -1, null)));
        assertThrows(
                DeviceException.class, () -> factory.create(new MetaOptions()).open(1, ledger));
    }
}
