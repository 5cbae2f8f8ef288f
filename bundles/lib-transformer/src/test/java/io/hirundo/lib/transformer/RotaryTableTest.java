package io.hirundo.lib.transformer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.model.LayerSpec;
import io.hirundo.parallel.LayerScope;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Books;
import io.hirundo.testkit.scalar.ScalarBackend;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A run survives when a precision or model that it prepares does not fit; its memory must all come back. */
class RotaryTableTest {
    private static final LayerSpec.Attention ATTENTION =
            new LayerSpec.Attention("attention", new Heads(8, 4, 4), List.of(1.0, 0.1), 8);

    /** A budget of some allocations, from when it is limited. */
    private static final class Budget implements DeviceLedger {
        private final Books books = new Books();
        private int left = Integer.MAX_VALUE;

        void limit(int allocations) {
            left = allocations;
        }

        @Override
        public void reserve(MemoryCategory category, long bytes) {
            if (left == 0) {
                throw new DeviceException("out of memory");
            }
            left--;
            books.reserve(category, bytes);
        }

        @Override
        public void release(MemoryCategory category, long bytes) {
            books.release(category, bytes);
        }

        @Override
        public void work(String kernel, long flops, long movedBytes) {
            books.work(kernel, flops, movedBytes);
        }
    }

    private static LayerScope scope(Device device, Queue queue) {
        return (LayerScope) Proxy.newProxyInstance(
                RotaryTableTest.class.getClassLoader(),
                new Class<?>[] {LayerScope.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "device" -> device;
                    case "queue" -> queue;
                    case "activationType" -> DType.FP32;
                    case "shared" -> ((Supplier<?>) arguments[1]).get();
                    default -> throw new AssertionError(method + " was called");
                });
    }

    @Test
    void keepsNothingIfTheSecondTableDoesNotFit() {
        for (int fit = 0; fit < 2; fit++) {
            var budget = new Budget();
            try (Device device = new ScalarBackend().open(0, budget);
                    Queue queue = device.newQueue("test")) {
                var before = budget.books.live();
                budget.limit(fit);
                assertThrows(DeviceException.class, () -> RotaryTable.of(ATTENTION, scope(device, queue)));
                assertEquals(before, budget.books.live(), fit + " of 2 tables fit");
            }
        }
    }

    @Test
    void holdsBothTablesUntilItIsClosed() {
        var budget = new Budget();
        try (Device device = new ScalarBackend().open(0, budget);
                Queue queue = device.newQueue("test")) {
            var before = budget.books.live();
            budget.limit(2);
            try (var table = RotaryTable.of(ATTENTION, scope(device, queue))) {
                assertEquals(List.of(8L, 2L), table.sinPD2().shape().dims());
                assertTrue(budget.books.live(MemoryCategory.WORKSPACE)
                        > before.getOrDefault(MemoryCategory.WORKSPACE, 0L));
            }
            assertEquals(before, budget.books.live());
        }
    }
}
