package io.hirundo.devicecpu.internal.mlp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GateActivation;
import io.hirundo.tensor.DType;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GatedMlpTest {
    /** Gates up to 12 in size, where the sigmoid saturates; the backward in place, and not. */
    @ParameterizedTest
    @CsvSource({"1, 1, FP32", "5, 37, FP32", "3, 1500, FP32", "3, 37, FP64", "3, 1500, BF16", "5, 37, BF16"})
    void vectorMatchesReferenceWithGelu(int tokens, int channels, DType dtype) {
        KernelParity.check(dtype == DType.FP64 ? 0 : 2e-6, (device, kernels) -> {
            CpuTensor gateUp = device.tensor(dtype, i -> 12 * Math.sin(i * 0.7), tokens, 2L * channels);
            CpuTensor dy = device.random(dtype, 2, tokens, channels);
            CpuTensor y = device.tensor(dtype, i -> Double.NaN, tokens, channels);
            CpuTensor gradient = device.tensor(dtype, i -> Double.NaN, tokens, 2L * channels);
            kernels.gatedMlp().forward(device.queue, GateActivation.GELU_TANH, gateUp, y);
            kernels.gatedMlp().backward(device.queue, GateActivation.GELU_TANH, dy, gateUp, gradient);
            kernels.gatedMlp().backward(device.queue, GateActivation.GELU_TANH, dy, gateUp, gateUp);
            return List.of(y, gradient, gateUp);
        });
    }

    /** As PyTorch's {@code gelu(x, approximate="tanh")} says. */
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void geluOfKnownValues(String implementation) {
        try (TestDevice device = new TestDevice(1, implementation)) {
            double[] gates = {-3, -1, 0, 0.5, 2};
            double[] expected = {-0.00363739, -0.15880801, 0, 0.34571401, 1.95459769};
            CpuTensor gateUp = device.tensor(DType.FP32, i -> i < 5 ? gates[(int) i] : 1, 1, 10);
            CpuTensor y = device.tensor(DType.FP32, i -> Double.NaN, 1, 5);
            device.device.kernels().gatedMlp().forward(device.queue, GateActivation.GELU_TANH, gateUp, y);
            for (int i = 0; i < 5; i++) {
                assertEquals(expected[i], y.getDouble(i), 1e-6);
            }
        }
    }
}
