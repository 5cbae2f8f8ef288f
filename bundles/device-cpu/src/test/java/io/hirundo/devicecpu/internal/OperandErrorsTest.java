package io.hirundo.devicecpu.internal;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.rejected;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.Kernels;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both implementations reject wrong operands and name them. */
final class OperandErrorsTest {
    @ParameterizedTest
    @ValueSource(strings = {"vector", "reference"})
    void rejectsWrongOperandsByName(String implementation) {
        try (TestDevice device = new TestDevice(1, implementation)) {
            Kernels kernels = device.device.kernels();
            Queue queue = device.queue;
            CpuTensor x = device.random(FP32, 1, 3, 4);
            CpuTensor wide = device.random(FP32, 1, 3, 8);
            CpuTensor channels = device.random(FP32, 1, 4);
            CpuTensor tokens = device.random(FP32, 1, 3);
            CpuTensor ids = device.tensor(INT32, i -> 3 + i, 3);
            CpuTensor scalar = device.random(FP64, 1, 1);

            rejected("weightC", () -> kernels.norm().forward(queue, x, tokens, 1e-5, x, tokens));
            rejected("yTC", () -> kernels.norm().forward(queue, x, channels, 1e-5, wide, tokens));
            rejected("inverseRmsT", () -> kernels.norm().reapply(queue, x, channels, channels, x));
            rejected("xTC is INT32", () -> kernels.norm().reapply(queue, ids, channels, tokens, x));
            rejected("deltaTC", () -> kernels.norm().addForward(queue, x, wide, channels, 1e-5, x, x, tokens));
            rejected("residualGradientTC", () -> kernels.norm().backwardInput(queue, x, x, channels, tokens, wide, x));
            rejected("dwC", () -> kernels.norm().backwardWeight(queue, x, x, tokens, tokens));
            rejected("gateUpT2F", () -> kernels.gatedMlp().forward(queue, x, x));
            rejected("dGateUpT2F", () -> kernels.gatedMlp().backward(queue, x, wide, x));
            rejected("tokensT", () -> kernels.embedding().forward(queue, tokens, 0, x, x));
            rejected("yTC", () -> kernels.embedding().forward(queue, ids, 0, x, wide));
            rejected("dyTC", () -> kernels.embedding().backward(queue, wide, ids, 0, x));
            rejected("labelsT has 4 at token 1", () -> kernels.loss().crossEntropy(queue, x, ids, tokens, scalar));
            rejected("weightsT", () -> kernels.loss().crossEntropyWithGradient(queue, wide, ids, channels, 1, scalar));
            rejected("lossSum1", () -> kernels.loss().crossEntropy(queue, wide, ids, tokens, channels));
            rejected("sum1", () -> kernels.optimizer().addSumOfSquares(queue, x, tokens));
            rejected("norm1", () -> kernels.optimizer().clipCoefficient(queue, scalar, 1, x, scalar));
            AdamWCoefficients step = new AdamWCoefficients(1, 0.9, 0.9, 1, 0, 1);
            rejected("secondMomentN", () -> kernels.optimizer().adamW(queue, step, scalar, x, x, x, wide));
            rejected("gradientN is FP64", () -> kernels.optimizer().adamW(queue, step, scalar, scalar, x, x, x));
            rejected("into", () -> kernels.elementwise().add(queue, x, wide));
            rejected("into", () -> kernels.elementwise().maximum(queue, x, wide));
            rejected("x is INT32", () -> kernels.elementwise().maximum(queue, ids, ids));
            rejected("to", () -> kernels.elementwise().copy(queue, x, wide));
            rejected("to is INT32", () -> kernels.elementwise().copy(queue, tokens, ids));
            rejected("toMN", () -> kernels.elementwise().copyColumns(queue, x, ids, 0));
            rejected("toMN has no columns", () -> kernels.elementwise().copyColumns(queue, x, x, 1));
            rejected("x is INT32", () -> kernels.elementwise().scale(queue, ids, 2));
        }
    }
}
