package io.hirundo.devicecpu.internal.softcap;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.check;
import static io.hirundo.devicecpu.internal.fixture.FiniteDifferences.dot;
import static io.hirundo.devicecpu.internal.fixture.TestDevice.values;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SoftCapTest {
    @ParameterizedTest
    @CsvSource({"1, FP32", "77, FP32", "70001, FP32", "77, FP64", "70001, BF16"})
    void vectorMatchesReference(int elements, DType dtype) {
        KernelParity.check(dtype == DType.FP64 ? 0 : 1e-6, (device, kernels) -> {
            CpuTensor x = device.tensor(dtype, i -> i == 70 ? Double.NaN : 100 * Math.sin(i), elements);
            CpuTensor dy = device.random(dtype, 2, elements);
            CpuTensor capped = device.random(dtype, 3, elements);
            kernels.softCap().orElseThrow().cap(device.queue, x, 30);
            kernels.softCap().orElseThrow().gradient(device.queue, capped, 1.5, dy);
            return List.of(x, dy);
        });
    }

    @Test
    void gradientMatchesFiniteDifferences() {
        try (TestDevice device = new TestDevice(1, "reference")) {
            SoftCapKernels kernels = device.device.kernels().softCap().orElseThrow();
            CpuTensor x = device.random(DType.FP64, 1, 11);
            CpuTensor weights = device.random(DType.FP64, 2, 11);
            CpuTensor capped = device.tensor(DType.FP64, x::getDouble, 11);
            CpuTensor gradient = device.tensor(DType.FP64, weights::getDouble, 11);
            kernels.cap(device.queue, capped, 0.8);
            kernels.gradient(device.queue, capped, 0.8, gradient);
            check("dx", x, values(gradient), () -> {
                device.device.kernels().elementwise().copy(device.queue, x, capped);
                kernels.cap(device.queue, capped, 0.8);
                return dot(capped, weights);
            });
        }
    }

    @Test
    void rejectsWrongOperandsByName() {
        try (TestDevice device = new TestDevice(1, "vector")) {
            SoftCapKernels kernels = device.device.kernels().softCap().orElseThrow();
            CpuTensor x = device.random(DType.FP32, 1, 3);
            rejected("cap is 0.0", () -> kernels.cap(device.queue, x, 0));
            rejected("x is INT32", () -> kernels.cap(device.queue, device.tensor(DType.INT32, i -> i, 3), 1));
            rejected("capped", () -> kernels.gradient(device.queue, device.random(DType.FP32, 1, 4), 1, x));
        }
    }
}
