package io.hirundo.devicecpu.internal;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NaNs propagate through the loops over pairs of BF16, whatever their bits, and only where they should. */
final class Bf16NaNTest {
    private static final int CHANNELS = 64;
    private static final int AT = 37;

    /** The NaNs whose rounded bits overflow. */
    private static final int LARGEST_POSITIVE = 0x7fffffff;

    private static final int LARGEST_NEGATIVE = 0xffffffff;

    private final TestDevice device = new TestDevice(2, "vector");
    private final Kernels kernels = device.device.kernels();

    @AfterEach
    void close() {
        device.close();
    }

    private CpuTensor ones(DType dtype, long... dims) {
        return device.tensor(dtype, i -> 1, dims);
    }

    /** Ones, and a NaN of the largest bits. */
    private CpuTensor withNaN(DType dtype, long index, int bits, long... dims) {
        CpuTensor tensor = ones(dtype, dims);
        if (dtype == BF16) {
            Memory.setShort(tensor.address() + index * 2, (short) (bits >> 16));
        } else {
            Memory.setFloat(tensor.address() + index * 4, Float.intBitsToFloat(bits));
        }
        return tensor;
    }

    private static void assertNaNAt(CpuTensor tensor, long first, long end) {
        for (long i = 0; i < tensor.elements(); i++) {
            assertEquals(
                    i >= first && i < end, Double.isNaN(tensor.getDouble(i)), "at " + i + ": " + tensor.getDouble(i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {LARGEST_POSITIVE, LARGEST_NEGATIVE})
    void normOfFp32Weight(int bits) {
        CpuTensor weight = withNaN(FP32, AT, bits, CHANNELS);
        CpuTensor y = ones(BF16, 1, CHANNELS);
        CpuTensor dx = ones(BF16, 1, CHANNELS);
        CpuTensor r = ones(FP32, 1);
        kernels.norm().forward(device.queue, ones(BF16, 1, CHANNELS), weight, 1e-5, y, r);
        assertNaNAt(y, AT, AT + 1);
        kernels.norm()
                .backwardInput(device.queue, ones(BF16, 1, CHANNELS), ones(BF16, 1, CHANNELS), weight, r, null, dx);
        assertNaNAt(dx, 0, CHANNELS);
    }

    @ParameterizedTest
    @ValueSource(ints = {LARGEST_POSITIVE, LARGEST_NEGATIVE})
    void normOfInverseRmsAndOfInput(int bits) {
        CpuTensor y = ones(BF16, 2, CHANNELS);
        CpuTensor dx = ones(BF16, 2, CHANNELS);
        CpuTensor r = withNaN(FP32, 0, bits, 2);
        kernels.norm().reapply(device.queue, ones(BF16, 2, CHANNELS), ones(FP32, CHANNELS), r, y);
        assertNaNAt(y, 0, CHANNELS);
        kernels.norm()
                .backwardInput(
                        device.queue,
                        ones(BF16, 2, CHANNELS),
                        ones(BF16, 2, CHANNELS),
                        ones(FP32, CHANNELS),
                        r,
                        ones(BF16, 2, CHANNELS),
                        dx);
        assertNaNAt(dx, 0, CHANNELS);
        CpuTensor x = withNaN(BF16, CHANNELS + AT, bits, 2, CHANNELS);
        CpuTensor sum = ones(BF16, 2, CHANNELS);
        kernels.norm().addForward(device.queue, x, ones(BF16, 2, CHANNELS), ones(FP32, CHANNELS), 1e-5, sum, y, r);
        assertNaNAt(sum, CHANNELS + AT, CHANNELS + AT + 1);
        assertNaNAt(y, CHANNELS, 2 * CHANNELS);
    }

    @ParameterizedTest
    @ValueSource(ints = {LARGEST_POSITIVE, LARGEST_NEGATIVE})
    void gatedMlp(int bits) {
        for (int operand = 0; operand < 2; operand++) {
            CpuTensor y = ones(BF16, 1, CHANNELS);
            CpuTensor gradient = ones(BF16, 1, 2 * CHANNELS);
            CpuTensor gateUp = withNaN(BF16, AT + operand * CHANNELS, bits, 1, 2 * CHANNELS);
            kernels.gatedMlp().forward(device.queue, gateUp, y);
            assertNaNAt(y, AT, AT + 1);
            kernels.gatedMlp().backward(device.queue, ones(BF16, 1, CHANNELS), gateUp, gradient);
            assertEquals(Double.NaN, gradient.getDouble(AT));
            assertEquals(operand == 0, Double.isNaN(gradient.getDouble(CHANNELS + AT)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {LARGEST_POSITIVE, LARGEST_NEGATIVE})
    void rotaryOfFp32Tables(int bits) {
        Heads heads = new Heads(1, 1, CHANNELS);
        for (boolean inCos : new boolean[] {true, false}) {
            CpuTensor angles = withNaN(FP32, 5, bits, 1, CHANNELS / 2);
            CpuTensor others = ones(FP32, 1, CHANNELS / 2);
            CpuTensor query = ones(BF16, 1, 1, 1, CHANNELS);
            QueryKeyValue split =
                    new QueryKeyValue(query, ones(BF16, 1, 1, 1, CHANNELS), ones(BF16, 1, 1, 1, CHANNELS));
            CpuTensor fused = ones(BF16, 1, heads.fusedChannels());
            CpuTensor positions = device.tensor(INT32, i -> 0, 1);
            kernels.attention()
                    .splitAndRotate(
                            device.queue,
                            heads,
                            1,
                            fused,
                            inCos ? angles : others,
                            inCos ? others : angles,
                            positions,
                            split);
            for (int i = 0; i < CHANNELS; i++) {
                assertEquals(
                        i % (CHANNELS / 2) == 5, Double.isNaN(query.getDouble(i)), "at " + i + ", cosines: " + inCos);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {LARGEST_POSITIVE, LARGEST_NEGATIVE})
    void add(int bits) {
        CpuTensor sum = ones(BF16, CHANNELS);
        kernels.elementwise().add(device.queue, withNaN(BF16, AT, bits, CHANNELS), sum);
        assertNaNAt(sum, AT, AT + 1);
    }

    @Test
    void lossOfLogitOrWeight() {
        CpuTensor labels = device.tensor(INT32, i -> 0, 2);
        for (DType dtype : List.of(FP32, BF16)) {
            CpuTensor lossSum = device.tensor(FP64, i -> 0, 1);
            CpuTensor logits = device.tensor(dtype, i -> i == 70 ? Double.NaN : i, 2, CHANNELS);
            kernels.loss().crossEntropyWithGradient(device.queue, logits, labels, ones(FP32, 2), 1, lossSum);
            assertEquals(Double.NaN, lossSum.getDouble(0));
            assertNaNAt(logits, CHANNELS, 2 * CHANNELS);
            CpuTensor weighted = device.tensor(dtype, i -> i, 2, CHANNELS);
            kernels.loss()
                    .crossEntropyWithGradient(
                            device.queue, weighted, labels, withNaN(FP32, 1, LARGEST_POSITIVE, 2), 1, lossSum);
            assertNaNAt(weighted, CHANNELS, 2 * CHANNELS);
        }
    }
}
