package io.hirundo.testkit.scalar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.kernel.CountingBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;

/** Kernels that a test gives the device. */
class FurtherKernelsTest {
    private final List<String> closed = new ArrayList<>();

    private interface First {}

    private interface Second {}

    private record Provider<K>(Class<K> family, BiFunction<String, Device, K> opens) implements KernelProvider<K> {
        @Override
        public Tier tier() {
            return Tier.SCALAR;
        }

        @Override
        public K open(Device device) {
            return opens.apply(family.getSimpleName(), device);
        }
    }

    /** Has memory of the device, which it must give back first. */
    private abstract class Closing implements AutoCloseable {
        private final String name;
        private final Tensor memory;

        Closing(String name, Device device) {
            this.name = name;
            this.memory = device.allocate(MemoryCategory.WORKSPACE, Shape.of(3), DType.FP32);
        }

        @Override
        public void close() {
            memory.close();
            closed.add(name);
        }
    }

    private class ClosingFirst extends Closing implements First {
        ClosingFirst(String name, Device device) {
            super(name, device);
        }
    }

    private final class Derived extends ClosingFirst {
        Derived(String name, Device device) {
            super(name, device);
        }
    }

    private final class ClosingSecond extends Closing implements Second {
        ClosingSecond(String name, Device device) {
            super(name, device);
        }
    }

    @Test
    void areClosedBeforeTheDeviceTheNewestFirst() {
        var backend = new ScalarBackend(
                List.of(new Provider<>(First.class, Derived::new), new Provider<>(Second.class, ClosingSecond::new)));
        try (Bench bench = Bench.open(backend)) {
            assertEquals(
                    Derived.class,
                    bench.device().kernels().find(First.class).orElseThrow().getClass());
        }
        assertEquals(List.of("Second", "First"), closed);
    }

    @Test
    void areClosedWhereOthersCannotBeOpened() {
        BiFunction<String, Device, Second> fails = (_, _) -> {
            throw new IllegalArgumentException("no");
        };
        var backend = new ScalarBackend(
                List.of(new Provider<>(First.class, Derived::new), new Provider<>(Second.class, fails)));
        assertThrows(IllegalArgumentException.class, () -> Bench.open(backend));
        assertEquals(List.of("First"), closed);
    }

    @Test
    void plansHaveFamiliesOfSuperclasses() {
        var backend = new ScalarBackend(List.of(new Provider<>(First.class, Derived::new)));
        try (Bench bench = Bench.open(new CountingBackend(backend))) {
            assertInstanceOf(
                    First.class, bench.device().kernels().find(First.class).orElseThrow());
        }
    }
}
