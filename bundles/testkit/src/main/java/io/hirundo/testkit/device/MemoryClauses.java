package io.hirundo.testkit.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.DeviceException;
import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Books;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.OnDevice;
import java.util.List;
import java.util.Map;

/** Clauses on accounted memory and on tensors as views of it. */
public interface MemoryClauses extends OnDevice {
    @Clause(
            value = "The ledger counts every byte by category, as the memory profile says, until it is released",
            remedy =
                    "reserve() before allocating, release() after freeing; views own nothing; close() of the device releases the rest")
    default void everyByteIsBooked() {
        var profile = backend().memoryProfile();
        var books = new Books();
        try (Device device = backend().open(0, books)) {
            var opened = books.live();
            assertEquals(
                    profile.allocationBytes(profile.workspaceBytes()),
                    books.live(MemoryCategory.WORKSPACE),
                    "workspace of the open device");
            for (DType dtype : DType.values()) {
                for (Shape shape :
                        List.of(Shape.of(), Shape.of(3, 11), Shape.of(64), Shape.of(0, 5), Shape.of(7, 1, 129))) {
                    Tensor tensor = device.allocate(MemoryCategory.GRADIENTS, shape, dtype);
                    long bytes = profile.allocationBytes(shape.byteSize(dtype));
                    assertEquals(bytes, books.live(MemoryCategory.GRADIENTS), dtype + " " + shape);
                    tensor.view(0, shape).close();
                    assertEquals(
                            bytes,
                            books.live(MemoryCategory.GRADIENTS),
                            "after a view of " + dtype + " " + shape + " was closed");
                    tensor.close();
                    assertEquals(opened, books.live(), "after " + dtype + " " + shape + " was closed");
                }
            }
            device.allocate(MemoryCategory.WEIGHTS, Shape.of(1000), DType.FP32);
        }
        assertEquals(Map.of(), books.live(), "after the device was closed");
    }

    @Clause(
            value = "An allocation over the run's memory budget reserves nothing, and the device still works",
            remedy =
                    "allocate(): must pass on the ledger's DeviceException with the request, and leave nothing reserved")
    default void rejectedAllocationIsNotBooked() {
        var books = new Books();
        DeviceLedger budget = new DeviceLedger() {
            @Override
            public void reserve(MemoryCategory category, long bytes) {
                if (category == MemoryCategory.OPTIMIZER) {
                    throw new DeviceException("over budget");
                }
                books.reserve(category, bytes);
            }

            @Override
            public void release(MemoryCategory category, long bytes) {
                books.release(category, bytes);
            }

            @Override
            public void work(String kernel, long flops, long movedBytes) {}
        };
        try (Device device = backend().open(0, budget)) {
            var before = books.live();
            assertThrows(
                    DeviceException.class, () -> device.allocate(MemoryCategory.OPTIMIZER, Shape.of(100), DType.FP32));
            assertEquals(before, books.live());
            device.allocate(MemoryCategory.WEIGHTS, Shape.of(100), DType.FP32).close();
            assertEquals(before, books.live());
        }
        assertEquals(Map.of(), books.live());
    }

    @Clause(
            value = "A closed tensor and its views are rejected; closing a tensor twice is an error",
            remedy = "IllegalStateException from close() and view(), and of kernels for a tensor or a view of it")
    default void rejectsClosedTensors(Bench bench) {
        Tensor tensor = bench.device().allocate(MemoryCategory.WEIGHTS, Shape.of(4, 2), DType.FP32);
        Tensor view = tensor.rows(1, 2);
        Tensor alive = bench.tensor(DType.FP32, i -> 1, 2, 2);
        tensor.close();
        assertThrows(IllegalStateException.class, tensor::close);
        assertThrows(IllegalStateException.class, () -> tensor.rows(0, 1));
        ElementwiseKernels kernels = bench.device().kernels().elementwise();
        assertThrows(IllegalStateException.class, () -> kernels.add(bench.queue(), view, alive));
        assertThrows(IllegalStateException.class, () -> kernels.fill(bench.queue(), tensor, 0));
    }

    @Clause(
            value = "A view shares its tensor's memory and stays inside it",
            remedy = "view(): offsets count elements of this tensor; IllegalArgumentException if the view does not fit")
    default void viewsStayInside(Bench bench) {
        Tensor tensor = bench.tensor(DType.BF16, i -> i, 4, 3);
        Tensor rows = tensor.rows(1, 2);
        assertEquals(Shape.of(2, 3), rows.shape());
        Tensor last = rows.view(5, Shape.of(1));
        if (bench.device().computes()) {
            assertArrayEquals(new double[] {3, 4, 5, 6, 7, 8}, bench.read(rows));
            bench.device().kernels().elementwise().fill(bench.queue(), last, 77);
            assertEquals(77, bench.read(tensor)[8]);
            assertEquals(9, bench.read(tensor)[9]);
        }
        for (long[] window : new long[][] {{5, 2}, {-1, 2}, {7, 0}, {0, 7}}) {
            assertThrows(IllegalArgumentException.class, () -> rows.view(window[0], Shape.of(window[1])));
        }
    }
}
