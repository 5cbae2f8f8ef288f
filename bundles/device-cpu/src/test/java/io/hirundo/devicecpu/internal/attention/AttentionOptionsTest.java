package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.attend;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.check;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.dot;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows, soft caps and scales of attention. */
public final class AttentionOptionsTest {
    /** Query tokens, key tokens, head dim, causal offset, window (0: none), soft cap (0: none), scale (0: of the heads). */
    @ParameterizedTest
    @CsvSource({
        "64, 64, 16, 0, 10, 0, 0",
        "200, 200, 48, 0, 2, 0, 0",
        "200, 200, 48, 0, 64, 0, 0",
        "200, 200, 8, 0, 65, 0, 0",
        "61, 61, 100, 0, 1000, 0, 0",
        "1, 150, 24, 149, 70, 0, 0",
        "17, 150, 24, 133, 70, 2, 0.3",
        "70, 70, 32, 70, 90, 0, 0",
        "70, 70, 32, 70, 30, 1.5, 0",
        "70, 70, 32, 2000, 30, 1.5, 0",
        "150, 70, 32, -67, 20, 1.5, 2",
        "130, 130, 48, 0, 0, 0.7, 0",
        "65, 65, 80, 0, 0, 50, 0.0625",
        "33, 33, 256, 0, 0, 0, 0.0625",
    })
    void vectorMatchesReference(int queries, int keys, int dim, int offset, int window, double softCap, double scale) {
        AttentionOptions options = options(window, softCap, scale);
        AttentionShape shape = new AttentionShape(2, queries, keys, new Heads(4, 2, dim), offset).with(options);
        KernelParity.check(1e-5, (device, kernels) -> attend(device, kernels, shape, FP32, 1));
        KernelParity.check(1e-5, (device, kernels) -> attend(device, kernels, shape, BF16, 1));
        KernelParity.check(1e-5, (device, kernels) -> {
            CpuTensor starts = device.tensor(INT32, i -> i % queries / 37 * 37, 2, queries);
            return attend(device, kernels, shape.within(new DocumentBounds(starts, 11)), FP32, 1);
        });
    }

    public static AttentionOptions options(int window, double softCap, double scale) {
        return new AttentionOptions(
                scale == 0 ? OptionalDouble.empty() : OptionalDouble.of(scale),
                softCap == 0 ? OptionalDouble.empty() : OptionalDouble.of(softCap),
                window == 0 ? OptionalInt.empty() : OptionalInt.of(window));
    }

    @ParameterizedTest
    @CsvSource({"5, 5, 0, 2, 0.8, 0.7", "4, 6, 2, 3, 1.5, 0", "3, 5, 6, 5, 0.5, 1.3", "5, 3, -2, 1, 0.9, 0"})
    void gradientsMatchFiniteDifferences(int queries, int keys, int offset, int window, double softCap, double scale) {
        try (TestDevice device = new TestDevice(1, "reference")) {
            AttentionShape shape = new AttentionShape(2, queries, keys, new Heads(4, 2, 4), offset)
                    .with(options(window, softCap, scale));
            CpuTensor q = device.random(FP64, 1, 2, 4, queries, 4);
            CpuTensor k = device.random(FP64, 2, 2, 2, keys, 4);
            CpuTensor v = device.random(FP64, 3, 2, 2, keys, 4);
            var in = new QueryKeyValue(q, k, v);
            CpuTensor dOutput = device.random(FP64, 5, 2L * queries, 16);
            CpuTensor output = device.tensor(FP64, i -> Double.NaN, 2L * queries, 16);
            CpuTensor logSumExp = device.tensor(FP64, i -> Double.NaN, 2, 4, queries);
            AttentionKernels attention = device.device.kernels().attention();
            DoubleSupplier loss = () -> {
                attention.forward(device.queue, shape, in, output, logSumExp);
                return dot(output, dOutput);
            };
            assertTrue(Double.isFinite(loss.getAsDouble()));
            CpuTensor dq = device.random(FP64, 6, 2, 4, queries, 4);
            CpuTensor dk = device.random(FP64, 7, 2, 2, keys, 4);
            CpuTensor dv = device.random(FP64, 8, 2, 2, keys, 4);
            attention.backward(device.queue, shape, dOutput, in, output, logSumExp, new QueryKeyValue(dq, dk, dv));
            check("dq", q, values(dq), loss);
            check("dk", k, values(dk), loss);
            check("dv", v, values(dv), loss);
        }
    }

    /** With equal scores a query's output is the mean of the values in its window: those of i - 2, i - 1 and i. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void windowCountsTheQueryItself(String implementation) {
        try (TestDevice device = new TestDevice(1, implementation)) {
            AttentionShape shape =
                    AttentionShape.causal(1, 6, new Heads(1, 1, 2)).with(AttentionOptions.NONE.withWindow(3));
            CpuTensor zero = device.tensor(FP32, i -> 0, 1, 1, 6, 2);
            CpuTensor values = device.tensor(FP32, i -> i / 2, 1, 1, 6, 2);
            CpuTensor output = device.tensor(FP32, i -> Double.NaN, 6, 2);
            device.device
                    .kernels()
                    .attention()
                    .forward(
                            device.queue,
                            shape,
                            new QueryKeyValue(zero, zero, values),
                            output,
                            device.tensor(FP32, i -> 0, 6));
            double[] means = {0, 0.5, 1, 2, 3, 4};
            for (int query = 0; query < 6; query++) {
                assertEquals(means[query], output.getDouble(query * 2L), 1e-6, "query " + query);
            }
        }
    }

    /** A score of 3 with cap 2 is 2 tanh(1.5); against a score of 0 it decides the mean of values 1 and 0. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void scaleComesBeforeTheCap(String implementation) {
        try (TestDevice device = new TestDevice(1, implementation)) {
            AttentionOptions options = AttentionOptions.NONE.withScale(0.5).withSoftCap(2);
            AttentionShape shape = new AttentionShape(1, 1, 2, new Heads(1, 1, 2), 1).with(options);
            CpuTensor query = device.tensor(FP32, i -> i == 0 ? 6 : 0, 1, 1, 1, 2);
            CpuTensor key = device.tensor(FP32, i -> i == 0 ? 1 : 0, 1, 1, 2, 2);
            CpuTensor output = device.tensor(FP32, i -> Double.NaN, 1, 2);
            device.device
                    .kernels()
                    .attention()
                    .forward(
                            device.queue,
                            shape,
                            new QueryKeyValue(query, key, key),
                            output,
                            device.tensor(FP32, i -> 0, 1));
            assertEquals(1 / (1 + Math.exp(-2 * Math.tanh(1.5))), output.getDouble(0), 1e-6);
        }
    }

    /** A window that hides nothing changes no bit. */
    @Test
    void wideWindowIsNoWindow() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            AttentionShape plain = AttentionShape.causal(1, 130, new Heads(2, 1, 16));
            var kernels = device.device.kernels();
            var without = attend(device, kernels, plain, FP32, 1);
            var with = attend(device, kernels, plain.with(AttentionOptions.NONE.withWindow(130)), FP32, 1);
            for (int i = 0; i < without.size(); i++) {
                assertArrayEquals(values(without.get(i)), values(with.get(i)));
            }
        }
    }

    /** Tiles before the window are not read: NaNs there reach no output, as they would through a probability of 0. */
    @Test
    void tilesOutsideOfTheWindowAreNotComputed() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            AttentionShape shape =
                    new AttentionShape(1, 64, 256, new Heads(1, 1, 16), 192).with(AttentionOptions.NONE.withWindow(60));
            CpuTensor query = device.random(FP32, 1, 1, 1, 64, 16);
            // The first query sees keys from 133 on, so the tiles of keys 0 to 127 are outside.
            CpuTensor keys = device.tensor(FP32, i -> i / 16 < 128 ? Double.NaN : Math.sin(i), 1, 1, 256, 16);
            CpuTensor output = device.tensor(FP32, i -> Double.NaN, 64, 16);
            device.device
                    .kernels()
                    .attention()
                    .forward(
                            device.queue,
                            shape,
                            new QueryKeyValue(query, keys, keys),
                            output,
                            device.tensor(FP32, i -> 0, 64));
            for (double value : values(output)) {
                assertTrue(Double.isFinite(value), "an output of " + value);
            }
        }
    }

    @Test
    void rejectsValuesThatAreNotPositive() {
        assertThrows(IllegalArgumentException.class, () -> AttentionOptions.NONE.withWindow(0));
        assertThrows(IllegalArgumentException.class, () -> AttentionOptions.NONE.withSoftCap(-1));
        assertThrows(IllegalArgumentException.class, () -> AttentionOptions.NONE.withScale(Double.NaN));
    }
}
