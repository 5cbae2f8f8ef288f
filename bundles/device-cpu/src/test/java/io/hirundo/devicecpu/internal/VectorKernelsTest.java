package io.hirundo.devicecpu.internal;

import static io.hirundo.tensor.DType.BF16;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The vector kernels but attention and elementwise ones against their references; FP64 must be the references themselves. */
final class VectorKernelsTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32",
        "3, 7, FP32",
        "5, 16, FP32",
        "70, 45, FP32",
        "131, 288, FP32",
        "9, 1000, FP32",
        "3, 5, FP64"
    })
    void norm(int tokens, int channels, DType dtype) {
        norm(tokens, channels, dtype, dtype, dtype == FP32 ? 2e-6 : 0);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32",
        "3, 7, FP32",
        "5, 16, FP32",
        "70, 45, FP32",
        "131, 288, FP32",
        "9, 1000, FP32",
        "1, 65537, FP32",
        "3, 5, BF16",
        "131, 37, BF16",
        "67, 96, BF16"
    })
    void normOfBf16(int tokens, int channels, DType parameters) {
        // Inputs of later calls may already differ by one BF16 step.
        norm(tokens, channels, BF16, parameters, KernelParity.BF16_STEP);
    }

    private static void norm(int tokens, int channels, DType dtype, DType parameters, double tolerance) {
        KernelParity.check(tolerance, (device, kernels) -> {
            CpuTensor x = device.random(dtype, 1, tokens, channels);
            CpuTensor delta = device.random(dtype, 2, tokens, channels);
            CpuTensor weight = device.random(parameters, 3, channels);
            CpuTensor dy = device.random(dtype, 4, tokens, channels);
            CpuTensor y = empty(device, dtype, tokens, channels);
            CpuTensor ySum = empty(device, dtype, tokens, channels);
            CpuTensor yAgain = empty(device, dtype, tokens, channels);
            CpuTensor r = empty(device, dtype == FP64 ? FP64 : FP32, tokens);
            CpuTensor dx = empty(device, dtype, tokens, channels);
            CpuTensor dw = device.random(parameters, 5, channels);
            kernels.norm().forward(device.queue, x, weight, 1e-5, y, r);
            kernels.norm().backwardInput(device.queue, dy, x, weight, r, null, dx);
            kernels.norm().backwardWeight(device.queue, dy, x, r, dw);
            CpuTensor rSum = empty(device, r.dtype(), tokens);
            kernels.norm().addForward(device.queue, x, delta, weight, 1e-5, delta, ySum, rSum);
            kernels.norm().reapply(device.queue, delta, weight, rSum, yAgain);
            assertArrayEquals(TestDevice.values(ySum), TestDevice.values(yAgain), "bitwise again");
            CpuTensor residual = device.random(dtype, 6, tokens, channels);
            kernels.norm().backwardInput(device.queue, dy, delta, weight, rSum, residual, residual);
            kernels.norm().addForward(device.queue, x, y, weight, 1e-5, x, yAgain, rSum);
            return List.of(y, r, dx, dw, delta, ySum, residual, x, yAgain, rSum);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32",
        "3, 16, FP32",
        "5, 37, FP32",
        "40, 1408, FP32",
        "3, 5, FP64",
        "3, 5, BF16",
        "3, 1061, BF16",
        "40, 1408, BF16"
    })
    void gatedMlp(int tokens, int channels, DType dtype) {
        KernelParity.check(dtype == FP64 ? 0 : 1e-6, (device, kernels) -> {
            // Gates from minus to plus 150: past the range of the exponential.
            CpuTensor gateUp =
                    device.tensor(dtype, i -> i % 3 == 0 ? (i * 37 % 300) - 150 : Math.sin(i), tokens, 2L * channels);
            CpuTensor dy = device.random(dtype, 2, tokens, channels);
            CpuTensor y = empty(device, dtype, tokens, channels);
            CpuTensor gradient = empty(device, dtype, tokens, 2L * channels);
            kernels.gatedMlp().forward(device.queue, gateUp, y);
            kernels.gatedMlp().backward(device.queue, dy, gateUp, gradient);
            kernels.gatedMlp().backward(device.queue, dy, gateUp, gateUp);
            assertArrayEquals(TestDevice.values(gradient), TestDevice.values(gateUp), "in place");
            return List.of(y, gradient);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32, FP32",
        "37, 33, FP32, FP32",
        "300, 288, FP32, FP32",
        "7, 5, FP64, FP64",
        "7, 5, BF16, BF16",
        "1, 1, BF16, FP32",
        "37, 33, BF16, FP32",
        "300, 288, BF16, FP32"
    })
    void embedding(int tokens, int channels, DType dtype, DType parameters) {
        KernelParity.check(0, (device, kernels) -> {
            CpuTensor ids = device.tensor(INT32, i -> i * i % 23, tokens);
            CpuTensor table = device.random(parameters, 1, 11, channels);
            CpuTensor dy = device.random(dtype, 2, tokens, channels);
            CpuTensor dTable = device.random(parameters, 3, 11, channels);
            CpuTensor y = empty(device, dtype, tokens, channels);
            kernels.embedding().forward(device.queue, ids, 5, table, y);
            // One rounding for each token in both: the reference adds a token at a time too.
            kernels.embedding().backward(device.queue, dy, ids, 5, dTable);
            return List.of(y, dTable);
        });
    }

    /** Nine workers get more tasks than one does. */
    @Test
    void embeddingGradientOfManyWorkers() {
        double[] expected = null;
        for (int workers : new int[] {1, 9}) {
            try (TestDevice device = new TestDevice(workers, "vector")) {
                CpuTensor ids = device.tensor(INT32, i -> i * i % 83, 100);
                CpuTensor dTable = device.random(FP32, 3, 83, 17);
                device.device
                        .kernels()
                        .embedding()
                        .backward(device.queue, device.random(BF16, 2, 100, 17), ids, 0, dTable);
                expected = expected == null ? TestDevice.values(dTable) : expected;
                assertArrayEquals(expected, TestDevice.values(dTable), workers + " workers");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32",
        "5, 37, FP32",
        "40, 1000, FP32",
        "3, 40000, FP32",
        "3, 5, FP64",
        "3, 5, BF16",
        "5, 1037, BF16",
        "7, 4160, BF16",
        "3, 40000, BF16"
    })
    void loss(int tokens, int vocabulary, DType dtype) {
        KernelParity.check(dtype == FP64 ? 1e-15 : 2e-6, (device, kernels) -> {
            CpuTensor logits = device.tensor(dtype, i -> 20 * Math.sin(i), tokens, vocabulary);
            CpuTensor labels = device.tensor(INT32, i -> i * 31 % vocabulary, tokens);
            CpuTensor weights = device.tensor(FP32, i -> i % 3 == 2 ? 0 : 1 + i % 2, tokens);
            CpuTensor lossSum = device.tensor(FP64, i -> 5, 1);
            CpuTensor again = device.tensor(FP64, i -> 5, 1);
            kernels.loss().crossEntropy(device.queue, logits, labels, weights, lossSum);
            kernels.loss().crossEntropyWithGradient(device.queue, logits, labels, weights, 1.0 / tokens, again);
            assertEquals(lossSum.getDouble(0), again.getDouble(0), 1e-6 * Math.abs(again.getDouble(0)));
            return List.of(lossSum, again, logits);
        });
    }

    /** The loss with gradient has exponentials of its own for BF16: large logits must not shift them. */
    @ParameterizedTest
    @CsvSource({"100", "1000", "3000", "-5000"})
    void lossOfLargeLogitsIsThatOfTheSmallOnes(int largest) {
        try (TestDevice device = new TestDevice(2, "vector")) {
            CpuTensor logits = device.tensor(BF16, i -> largest - 16 * (i % 3), 1, 64);
            CpuTensor label = device.tensor(INT32, i -> 0, 1);
            CpuTensor weight = device.tensor(FP32, i -> 1, 1);
            CpuTensor loss = device.tensor(FP64, i -> 0, 1);
            CpuTensor lossWithGradient = device.tensor(FP64, i -> 0, 1);
            double[] x = TestDevice.values(logits);
            device.device.kernels().loss().crossEntropy(device.queue, logits, label, weight, loss);
            device.device
                    .kernels()
                    .loss()
                    .crossEntropyWithGradient(device.queue, logits, label, weight, 1, lossWithGradient);
            double expected = Math.log(
                    Arrays.stream(x).map(logit -> Math.exp(logit - x[0])).sum());
            assertEquals(expected, loss.getDouble(0), 4e-6);
            assertEquals(expected, lossWithGradient.getDouble(0), 4e-6);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, FP32", "77, FP32", "100003, FP32", "77, FP64", "77, BF16"})
    void optimizer(int elements, DType dtype) {
        KernelParity.check(dtype == FP32 ? 1e-6 : 1e-15, (device, kernels) -> {
            CpuTensor gradient = device.random(dtype, 1, elements);
            CpuTensor parameter = device.random(dtype, 2, elements);
            CpuTensor first = device.random(dtype, 3, elements);
            CpuTensor second = device.tensor(dtype, i -> i % 5 * 0.01, elements);
            CpuTensor sum = device.tensor(FP64, i -> 0, 1);
            CpuTensor norm = device.tensor(FP64, i -> 0, 1);
            CpuTensor coefficient = device.tensor(FP64, i -> 0, 1);
            kernels.optimizer().addSumOfSquares(device.queue, gradient, sum);
            kernels.optimizer().addSumOfSquares(device.queue, parameter, sum);
            kernels.optimizer().clipCoefficient(device.queue, sum, 0.5, norm, coefficient);
            AdamWCoefficients step = new AdamWCoefficients(3e-3, 0.9, 0.95, 1e-8, 0.1, 3);
            kernels.optimizer().adamW(device.queue, step, coefficient, gradient, parameter, first, second);
            return List.of(parameter, first, second, sum, norm, coefficient);
        });
    }

    private static CpuTensor empty(TestDevice device, DType dtype, long... dims) {
        return device.tensor(dtype, i -> Double.NaN, dims);
    }
}
