package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DeviceException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.kernel.KernelFamilies;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import io.hirundo.testkit.bench.Books;
import io.hirundo.testkit.bench.Clause;
import io.hirundo.testkit.bench.Summands;
import io.hirundo.testkit.device.GemmComparison;
import io.hirundo.testkit.device.MemoryClauses;
import io.hirundo.testkit.device.RepetitionClauses;
import io.hirundo.testkit.device.TimerClauses;
import io.hirundo.testkit.scalar.value.HostValues;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;

/** Contract tests for a {@link ComputeBackend}. Values are checked only if the device computes. */
public interface DeviceContract extends MemoryClauses, TimerClauses, RepetitionClauses {
    /** The backend under test. */
    @Override
    ComputeBackend backend();

    @Clause(
            value = "Listed devices can be opened; any other ordinal throws a DeviceException",
            remedy = "devices() and open(): ordinals count from 0, and info() of an open device equals the listed one")
    default void listedDevicesOpen() {
        var devices = backend().devices();
        for (int ordinal = 0; ordinal < devices.size(); ordinal++) {
            assertEquals(ordinal, devices.get(ordinal).ordinal());
            try (Device device = backend().open(ordinal, new Books())) {
                assertEquals(devices.get(ordinal), device.info());
            }
        }
        assertThrows(DeviceException.class, () -> backend().open(devices.size(), new Books()));
        assertThrows(DeviceException.class, () -> backend().open(-1, new Books()));
    }

    @Clause(
            value = "missingKernels() names the optional families that an open device lacks, and no others",
            remedy =
                    "missingKernels() and the methods of Kernels that return an Optional: plans follow the one, runs the other")
    default void missingKernelsAreNamed(Bench bench) {
        var lacking = new LinkedHashSet<Class<?>>();
        for (Class<?> family : KernelFamilies.optional()) {
            if (bench.device().kernels().find(family).isEmpty()) {
                lacking.add(family);
            }
        }
        assertEquals(lacking, backend().missingKernels());
        for (Class<?> family : KernelFamilies.required()) {
            assertTrue(bench.device().kernels().find(family).isPresent(), family.getSimpleName());
        }
    }

    @Clause(
            value = "Transfers copy exactly the tensor's bytes, for every dtype; too little host memory is rejected",
            remedy =
                    "uploads and download(): little-endian, byteSize() bytes, also through views; NaN if the device does not compute")
    default void transfersCopyBytes(Bench bench) {
        for (DType dtype : DType.values()) {
            Tensor around = bench.tensor(dtype, i -> 1, 40);
            Tensor window = around.view(3, Shape.of(33));
            // 8-bit dtypes represent few integers.
            int period = dtype.byteSize() == 1 ? 7 : 33;
            bench.write(window, i -> 2 + i % period);
            double[] all = bench.read(around);
            for (int i = 0; i < 40 && bench.device().computes(); i++) {
                assertEquals(i < 3 || i >= 36 ? 1 : 2 + (i - 3) % period, all[i], dtype + " element " + i);
            }
            var small = MemorySegment.ofArray(new byte[(int) window.byteSize() - 1]);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> bench.device().transfer().upload(bench.queue(), small, window));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> bench.device().transfer().uploadAtOnce(bench.queue(), small, window));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> bench.device().transfer().download(bench.queue(), window, small));
            assertTrue(
                    bench.device().computes() || !dtype.isFloating() || Double.isNaN(all[0]),
                    "a device that does not compute reads NaN");
        }
    }

    @Clause(
            value = "uploadAtOnce() uploads what the host memory held at the call",
            remedy =
                    "uploadAtOnce(): must have read or copied the host memory when it returns; the caller does not drain the queue")
    default void uploadsReadAtOnce(Bench bench) {
        // The second does not fit into two staging buffers of 4 MiB, so there its end waits for its start.
        for (int count : new int[] {5000, (2 << 20) + 1}) {
            Tensor x = bench.tensor(DType.FP32, i -> 1, count);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment host = arena.allocate(x.byteSize(), 8);
                var expected = new double[count];
                for (int i = 0; i < count; i++) {
                    expected[i] = i;
                }
                HostValues.write(host, DType.FP32, expected);
                // The upload below waits for these.
                for (int i = 0; i < 16; i++) {
                    bench.device().kernels().elementwise().scale(bench.queue(), x, 2);
                }
                bench.device().transfer().uploadAtOnce(bench.queue(), host, x);
                host.fill((byte) 0x40);
                if (bench.device().computes()) {
                    assertArrayEquals(expected, bench.read(x), "an upload of " + x.byteSize() + " bytes");
                }
                bench.queue().drain();
            }
        }
    }

    @Clause(
            value = "A queue runs its work in order, its events happen, and it waits for events of another queue",
            remedy = "Queue: record(), await() and drain(); an event happens when all earlier work has ended")
    default void queuesKeepOrder(Bench bench) {
        ElementwiseKernels kernels = bench.device().kernels().elementwise();
        Tensor x = bench.tensor(DType.FP32, i -> 0, 1000);
        try (Queue other = bench.device().newQueue("another")) {
            kernels.fill(bench.queue(), x, 3);
            kernels.scale(bench.queue(), x, 2);
            Event filled = bench.queue().record();
            other.await(filled);
            kernels.add(other, x, x.view(0, x.shape()));
            Event added = other.record();
            added.await();
            assertTrue(filled.hasHappened() && added.hasHappened(), "awaited events have not happened");
            other.drain();
        }
        if (bench.device().computes()) {
            assertEquals(12, Arrays.stream(bench.read(x)).min().orElseThrow());
            assertEquals(12, Arrays.stream(bench.read(x)).max().orElseThrow());
        }
    }

    @Clause(
            value = "The three GEMMs match their formulas at odd sizes, with and without accumulation",
            remedy = "GemmKernels: which operand is read transposed, the last row and column, and 'accumulate'")
    default void computesGemms(Bench bench) {
        for (int[] mnk : new int[][] {{1, 1, 1}, {3, 5, 7}, {33, 17, 65}, {16, 130, 31}}) {
            for (DType dtype : List.of(DType.FP32, DType.BF16)) {
                for (boolean accumulate : new boolean[] {false, true}) {
                    GemmComparison.run(bench, dtype, mnk[0], mnk[1], mnk[2], accumulate);
                }
            }
        }
    }

    @Clause(
            value = "Copies round to nearest even, and maxima propagate NaN",
            remedy = "ElementwiseKernels: copy() between types, maximum() of NaN")
    default void elementsAreRight(Bench bench) {
        ElementwiseKernels kernels = bench.device().kernels().elementwise();
        Tensor from = bench.tensor(DType.FP32, i -> Summands.value(1, i), 1001);
        Tensor to = bench.tensor(DType.BF16, i -> 0, 1001);
        kernels.copy(bench.queue(), from, to);
        Tensor some = bench.tensor(DType.FP32, i -> i % 3 == 0 ? Double.NaN : i, 1001);
        Tensor most = bench.tensor(DType.FP32, i -> i % 5 == 0 ? Double.NaN : 500, 1001);
        kernels.maximum(bench.queue(), some, most);
        if (bench.device().computes()) {
            double[] rounded = bench.read(to);
            double[] largest = bench.read(most);
            for (int i = 0; i < 1001; i++) {
                assertEquals(
                        HostValues.rounded(DType.BF16, (float) Summands.value(1, i)),
                        rounded[i],
                        "copied element " + i);
                assertEquals(
                        i % 3 == 0 || i % 5 == 0 ? Double.NaN : Math.max(i, 500),
                        largest[i],
                        "maximum of element " + i);
            }
        }
    }

    @Clause(
            value = "Operands that do not fit are rejected by name",
            remedy = "IllegalArgumentException that names the operand")
    default void rejectsWrongOperands(Bench bench) {
        var kernels = bench.device().kernels();
        Tensor three = bench.tensor(DType.FP32, i -> 1, 3, 3);
        Tensor four = bench.tensor(DType.FP32, i -> 1, 4, 4);
        Tensor other = bench.tensor(DType.INT32, i -> 1, 3, 3);
        for (Runnable wrong : List.<Runnable>of(
                () -> kernels.gemm().multiplyNT(bench.queue(), three, four, three, false),
                () -> kernels.gemm().multiplyNN(bench.queue(), three, three, four, false),
                () -> kernels.gemm().multiplyTN(bench.queue(), three, other, three, false),
                () -> kernels.elementwise().add(bench.queue(), three, four),
                () -> kernels.elementwise().copy(bench.queue(), other, three))) {
            assertNotNull(
                    assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
        }
    }

    @Clause(
            value = "Several ranks of a process can open the device, and compute the same bits",
            remedy = "state that open devices share; sums whose order depends on workers or timing")
    default void ranksComputeTheSame() {
        ComputeBackend shared = backend().sharedBy(2);
        try (Bench first = Bench.open(shared);
                Bench second = Bench.open(shared)) {
            if (first.device().computes()) {
                for (int round = 0; round < 3; round++) {
                    assertArrayEquals(
                            GemmComparison.run(first, DType.FP32, 65, 33, 129, true),
                            GemmComparison.run(second, DType.FP32, 65, 33, 129, true));
                }
            }
        }
    }
}
