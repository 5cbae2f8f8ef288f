package io.hirundo.devicecpu.internal.bias;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.check;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.dot;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BiasTest {
    /** Odd rows and columns, some longer than what a task sums or widens at once; the other columns keep their values. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, FP32, FP32",
        "5, 37, FP32, FP32",
        "131, 517, FP32, FP32",
        "3, 70001, FP32, FP32",
        "131, 517, BF16, FP32",
        "131, 517, BF16, BF16",
        "3, 70001, BF16, FP32",
        "67, 37, FP64, FP64"
    })
    void vectorMatchesReference(int rows, int columns, DType dtype, DType parameters) {
        KernelParity.check(dtype == DType.FP64 ? 0 : 1e-6, (device, kernels) -> {
            CpuTensor bias = device.random(parameters, 1, columns);
            CpuTensor x = device.random(dtype, 2, rows, columns + 4);
            CpuTensor before = device.random(dtype, 2, rows, columns + 4);
            CpuTensor gradient = device.random(parameters, 3, columns);
            kernels.bias().orElseThrow().add(device.queue, bias, x, 3);
            kernels.bias().orElseThrow().addColumnSums(device.queue, x, 3, gradient);
            for (int row = 0; row < rows; row++) {
                for (int column : new int[] {0, 1, 2, columns + 3}) {
                    long i = row * (columns + 4L) + column;
                    assertEquals(before.getDouble(i), x.getDouble(i), "row " + row + ", column " + column);
                }
            }
            return List.of(x, gradient);
        });
    }

    @Test
    void gradientMatchesFiniteDifferences() {
        try (TestDevice device = new TestDevice(1, "reference")) {
            BiasKernels kernels = device.device.kernels().bias().orElseThrow();
            CpuTensor bias = device.random(DType.FP64, 1, 5);
            CpuTensor x = device.random(DType.FP64, 2, 3, 7);
            CpuTensor dy = device.random(DType.FP64, 3, 3, 7);
            CpuTensor y = device.tensor(DType.FP64, i -> 0, 3, 7);
            CpuTensor gradient = device.tensor(DType.FP64, i -> 0, 5);
            kernels.addColumnSums(device.queue, dy, 1, gradient);
            check("dBias", bias, values(gradient), () -> {
                device.device.kernels().elementwise().copy(device.queue, x, y);
                kernels.add(device.queue, bias, y, 1);
                return dot(y, dy);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void rejectsWrongOperandsByName(String implementation) {
        try (TestDevice device = new TestDevice(1, implementation)) {
            BiasKernels kernels = device.device.kernels().bias().orElseThrow();
            CpuTensor x = device.random(DType.FP32, 1, 3, 4);
            CpuTensor bias = device.random(DType.FP32, 1, 3);
            rejected("biasN is for columns 2 to 5 of xTM, which has 4", () -> kernels.add(device.queue, bias, x, 2));
            rejected("dBiasN is for columns -1 to 2", () -> kernels.addColumnSums(device.queue, x, -1, bias));
            rejected("biasN is FP64", () -> kernels.add(device.queue, device.random(DType.FP64, 1, 3), x, 0));
            rejected(
                    "xTM is INT32", () -> kernels.add(device.queue, bias, device.tensor(DType.INT32, i -> i, 3, 3), 0));
        }
    }
}
