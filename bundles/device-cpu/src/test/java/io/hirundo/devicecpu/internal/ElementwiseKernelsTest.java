package io.hirundo.devicecpu.internal;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The vector kernels for copies, conversions and sums against their references. */
final class ElementwiseKernelsTest {
    @ParameterizedTest
    @EnumSource
    void elementwise(DType dtype) {
        KernelParity.check(0, (device, kernels) -> {
            CpuTensor x = device.random(dtype, 1, 70_001);
            CpuTensor sum = device.random(dtype, 2, 70_001);
            CpuTensor zero = device.random(dtype, 3, 70_001);
            CpuTensor filled = device.random(dtype, 3, 37);
            List<CpuTensor> written = new ArrayList<>();
            kernels.elementwise().fill(device.queue, zero, 0);
            kernels.elementwise().fill(device.queue, filled, 3.7);
            if (dtype.isArithmetic()) {
                kernels.elementwise().add(device.queue, x, sum);
                kernels.elementwise().scale(device.queue, filled, 0.5);
                CpuTensor wide = device.random(dtype == BF16 ? FP32 : dtype, 5, 70_001);
                kernels.elementwise().add(device.queue, x, wide);
                written.add(wide);
            }
            CpuTensor copied = device.random(dtype, 4, 1, 70_001);
            kernels.elementwise().copy(device.queue, x, copied);
            written.addAll(List.of(sum, zero, filled, copied));
            return written;
        });
    }

    /** Columns that begin at odd places; the other columns keep their values. */
    @ParameterizedTest
    @EnumSource
    void copyColumns(DType dtype) {
        KernelParity.check(0, (device, kernels) -> {
            CpuTensor left = device.random(dtype, 1, 3, 171, 5);
            CpuTensor right = device.random(dtype, 2, 513, 130);
            CpuTensor joined = device.random(dtype, 3, 513, 137);
            CpuTensor before = empty(device, dtype, 513, 137);
            kernels.elementwise().copy(device.queue, joined, before);
            kernels.elementwise().copyColumns(device.queue, left, joined, 1);
            kernels.elementwise().copyColumns(device.queue, right, joined, 7);
            for (int row = 0; row < 513; row += 512) {
                assertEquals(before.getDouble(row * 137), joined.getDouble(row * 137));
                assertEquals(left.getDouble(row * 5 + 4), joined.getDouble(row * 137 + 5));
                assertEquals(before.getDouble(row * 137 + 6), joined.getDouble(row * 137 + 6));
                assertEquals(right.getDouble(row * 130 + 129), joined.getDouble(row * 137 + 136));
            }
            return List.of(joined);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"FP64", "FP32", "BF16"})
    void maximum(DType dtype) {
        double[] special = {Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, -0.0, 0};
        for (int elements : new int[] {1, 15, 43, 70_007}) {
            KernelParity.check(0, (device, kernels) -> {
                CpuTensor x = device.random(dtype, 1, elements);
                CpuTensor into = device.random(dtype, 2, elements);
                kernels.elementwise().maximum(device.queue, x, into);
                // Every pair of them, in vectors and behind them.
                CpuTensor rows = device.tensor(dtype, i -> special[(int) i % 5], 43);
                CpuTensor columns = device.tensor(dtype, i -> special[(int) i / 5 % 5], 43);
                kernels.elementwise().maximum(device.queue, rows, columns);
                for (int i = 0; i < 43; i++) {
                    assertEquals(Math.max(special[i % 5], special[i / 5 % 5]), columns.getDouble(i), "at " + i);
                }
                return List.of(into, columns);
            });
        }
    }

    @Test
    void conversionsRoundToNearestEven() {
        KernelParity.check(0, (device, kernels) -> {
            double[] special = {
                0,
                -0.0,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY,
                1e-42,
                3.4e38,
                -3.4e38,
                Float.intBitsToFloat(0x3f808000),
                Float.intBitsToFloat(0x3f818000),
                Float.intBitsToFloat(0x3f808001),
                Float.intBitsToFloat(0x3f817fff)
            };
            CpuTensor fp32 = device.tensor(
                    FP32, i -> i < special.length ? special[(int) i] : Math.exp(Math.sin(i) * 40), 40_017);
            CpuTensor bf16 = empty(device, BF16, 40_017);
            CpuTensor back = empty(device, FP32, 40_017);
            CpuTensor fp64 = empty(device, FP64, 40_017);
            kernels.elementwise().copy(device.queue, fp32, bf16);
            kernels.elementwise().copy(device.queue, bf16, back);
            kernels.elementwise().copy(device.queue, back, fp64);
            assertEquals(Float.intBitsToFloat(0x3f800000), back.getDouble(8), "a tie goes to the even one below");
            assertEquals(Float.intBitsToFloat(0x3f820000), back.getDouble(9), "a tie goes to the even one above");
            return List.of(bf16, back, fp64);
        });
    }

    /** Copies run in another thread, as in a fabric's in-place gather, while the owner sets new values. */
    @ParameterizedTest
    @ValueSource(strings = {CpuOptions.REFERENCE, CpuOptions.VECTOR})
    void selfCopyDoesNotWrite(String kernels) throws Exception {
        try (var device = new TestDevice(1, kernels);
                var thread = Executors.newSingleThreadExecutor()) {
            CpuTensor x = device.tensor(FP32, i -> 0, 64);
            CpuTensor view = (CpuTensor) x.view(0, Shape.of(8, 8));
            var copies = new AtomicInteger();
            Future<?> copying = thread.submit(() -> {
                while (!Thread.interrupted()) {
                    device.device.kernels().elementwise().copy(device.queue, x, view);
                    copies.incrementAndGet();
                }
            });
            try {
                int lost = 0;
                for (int round = 1; round <= 20_000 || copies.get() < 20_000; round++) {
                    if (copying.isDone()) {
                        copying.get();
                    }
                    lost += lostWrites(x, round);
                }
                assertEquals(0, lost);
            } finally {
                copying.cancel(true);
            }
        }
    }

    /** Sets all elements, and counts those that have another value afterwards. */
    private static int lostWrites(CpuTensor x, double value) {
        for (int i = 0; i < x.elements(); i++) {
            x.setDouble(i, value);
        }
        // Reads what is in memory, and not what was just written.
        VarHandle.fullFence();
        int lost = 0;
        for (int i = 0; i < x.elements(); i++) {
            lost += x.getDouble(i) == value ? 0 : 1;
        }
        return lost;
    }

    private static CpuTensor empty(TestDevice device, DType dtype, long... dims) {
        return device.tensor(dtype, i -> Double.NaN, dims);
    }
}
