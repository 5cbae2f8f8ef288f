package io.hirundo.devicecpu.internal.arithmetic;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.kernel.ArithmeticKernels.Factor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ArithmeticTest {
    /** Positive, negative and special values. */
    private static double some(long i) {
        return switch ((int) (i % 13)) {
            case 5 -> Double.NaN;
            case 7 -> Double.NEGATIVE_INFINITY;
            case 9 -> 0;
            case 11 -> -0.0;
            default -> 3 * Math.sin(i);
        };
    }

    @ParameterizedTest
    @CsvSource({"1, FP32", "77, FP32", "70001, FP32", "77, FP64", "70001, BF16"})
    void vectorMatchesReference(int elements, DType dtype) {
        KernelParity.check(dtype == DType.FP64 ? 0 : 1e-6, (device, kernels) -> {
            ArithmeticKernels arithmetic = kernels.arithmetic().orElseThrow();
            CpuTensor x = device.random(dtype, 1, elements);
            Tensor half = device.tensor(DType.FP64, i -> 0.5, 1);
            CpuTensor mixed = device.random(dtype, 2, elements);
            CpuTensor unread = device.tensor(dtype, i -> Double.NaN, elements);
            CpuTensor product = device.random(dtype, 3, elements);
            CpuTensor squares = device.random(dtype, 4, elements);
            CpuTensor quotient = device.random(dtype, 5, elements);
            CpuTensor divisor = device.tensor(dtype, i -> 0.5 + i % 7, elements);
            CpuTensor root = device.tensor(dtype, ArithmeticTest::some, elements);
            CpuTensor sign = device.tensor(dtype, ArithmeticTest::some, elements);
            arithmetic.axpby(device.queue, Factor.of(0.3, half), x, 0.9, mixed);
            arithmetic.axpby(device.queue, Factor.of(-1.7), x, 0, unread);
            arithmetic.multiply(device.queue, x, product);
            arithmetic.multiply(device.queue, squares, squares);
            arithmetic.divide(device.queue, divisor, 1e-3, quotient);
            arithmetic.squareRoot(device.queue, root);
            arithmetic.sign(device.queue, sign);
            return List.of(mixed, unread, product, squares, quotient, root, sign);
        });
    }

    @ParameterizedTest
    @CsvSource({"reference", "vector"})
    void computesItsFormulas(String kernels) {
        try (TestDevice device = new TestDevice(1, kernels)) {
            ArithmeticKernels arithmetic = device.device.kernels().arithmetic().orElseThrow();
            CpuTensor x = device.tensor(DType.FP32, i -> i - 4, 9);
            CpuTensor y = device.tensor(DType.FP32, i -> 10, 9);
            arithmetic.axpby(device.queue, Factor.of(4, device.tensor(DType.FP64, i -> 0.25, 1)), x, 2, y);
            assertArrayEquals(new double[] {16, 17, 18, 19, 20, 21, 22, 23, 24}, TestDevice.values(y));
            arithmetic.multiply(device.queue, x, x);
            assertArrayEquals(new double[] {16, 9, 4, 1, 0, 1, 4, 9, 16}, TestDevice.values(x));
            arithmetic.squareRoot(device.queue, x);
            arithmetic.divide(device.queue, x, 4, y);
            assertArrayEquals(
                    new double[] {2, 17 / 7f, 3, 19 / 5f, 5, 21 / 5f, 22 / 6f, 23 / 7f, 3}, TestDevice.values(y));
            CpuTensor signs =
                    device.tensor(DType.FP32, i -> new double[] {-1e-30, -0.0, 0, 1e30, Double.NaN}[(int) i % 5], 10);
            arithmetic.sign(device.queue, signs);
            assertArrayEquals(
                    new double[] {-1, -0.0, 0, 1, Double.NaN, -1, -0.0, 0, 1, Double.NaN}, TestDevice.values(signs));
        }
    }

    @Test
    void rejectsWrongOperandsByName() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            ArithmeticKernels arithmetic = device.device.kernels().arithmetic().orElseThrow();
            CpuTensor x = device.random(DType.FP32, 1, 3);
            CpuTensor integers = device.tensor(DType.INT32, i -> i, 3);
            rejected("xN", () -> arithmetic.axpby(device.queue, Factor.of(1), device.random(DType.FP32, 1, 4), 1, x));
            rejected("xN", () -> arithmetic.multiply(device.queue, device.random(DType.BF16, 1, 3), x));
            rejected("yN is INT32", () -> arithmetic.divide(device.queue, x, 0, integers));
            rejected("xN is INT32", () -> arithmetic.sign(device.queue, integers));
            rejected("scalar1 is", () -> Factor.of(1, x));
        }
    }
}
