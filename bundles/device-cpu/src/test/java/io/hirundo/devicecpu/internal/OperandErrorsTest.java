package io.hirundo.devicecpu.internal;

import static io.hirundo.devicecpu.internal.attention.VectorAttentionTest.refused;
import static io.hirundo.tensor.DType.FP32;
import static io.hirundo.tensor.DType.FP64;
import static io.hirundo.tensor.DType.INT32;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.AdamWCoefficients;
import io.hirundo.kernel.Kernels;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong operands are refused by name, by both implementations. */
final class OperandErrorsTest {
  @ParameterizedTest
  @ValueSource(strings = {"vector", "reference"})
  void wrongOperandsAreNamed(String implementation) {
    try (TestDevice device = new TestDevice(1, implementation)) {
      Kernels kernels = device.device.kernels();
      Queue queue = device.queue;
      CpuTensor x = device.random(FP32, 1, 3, 4);
      CpuTensor wide = device.random(FP32, 1, 3, 8);
      CpuTensor channels = device.random(FP32, 1, 4);
      CpuTensor tokens = device.random(FP32, 1, 3);
      CpuTensor ids = device.tensor(INT32, i -> 3 + i, 3);
      CpuTensor scalar = device.random(FP64, 1, 1);

      refused("weightC", () -> kernels.norm().forward(queue, x, tokens, 1e-5, x, tokens));
      refused("yTC", () -> kernels.norm().forward(queue, x, channels, 1e-5, wide, tokens));
      refused("inverseRmsT", () -> kernels.norm().reapply(queue, x, channels, channels, x));
      refused("xTC is INT32", () -> kernels.norm().reapply(queue, ids, channels, tokens, x));
      refused("deltaTC", () -> kernels.norm().addForward(queue, x, wide, channels, 1e-5, x, x, tokens));
      refused("residualGradientTC", () -> kernels.norm().backwardInput(queue, x, x, channels, tokens, wide, x));
      refused("dwC", () -> kernels.norm().backwardWeight(queue, x, x, tokens, tokens));
      refused("gateUpT2F", () -> kernels.gatedMlp().forward(queue, x, x));
      refused("dGateUpT2F", () -> kernels.gatedMlp().backward(queue, x, wide, x));
      refused("tokensT", () -> kernels.embedding().forward(queue, tokens, 0, x, x));
      refused("yTC", () -> kernels.embedding().forward(queue, ids, 0, x, wide));
      refused("dyTC", () -> kernels.embedding().backward(queue, wide, ids, 0, x));
      refused("labelsT has 4 at token 1", () -> kernels.loss().crossEntropy(queue, x, ids, tokens, scalar));
      refused("weightsT", () -> kernels.loss().crossEntropyWithGradient(queue, wide, ids, channels, 1, scalar));
      refused("lossSum1", () -> kernels.loss().crossEntropy(queue, wide, ids, tokens, channels));
      refused("sum1", () -> kernels.optimizer().addSumOfSquares(queue, x, tokens));
      refused("norm1", () -> kernels.optimizer().clipCoefficient(queue, scalar, 1, x, scalar));
      AdamWCoefficients step = new AdamWCoefficients(1, 0.9, 0.9, 1, 0, 1);
      refused("secondMomentN", () -> kernels.optimizer().adamW(queue, step, scalar, x, x, x, wide));
      refused("gradientN is FP64", () -> kernels.optimizer().adamW(queue, step, scalar, scalar, x, x, x));
      refused("into", () -> kernels.elementwise().add(queue, x, wide));
      refused("into", () -> kernels.elementwise().maximum(queue, x, wide));
      refused("x is INT32", () -> kernels.elementwise().maximum(queue, ids, ids));
      refused("to", () -> kernels.elementwise().copy(queue, x, wide));
      refused("to is INT32", () -> kernels.elementwise().copy(queue, tokens, ids));
      refused("toMN", () -> kernels.elementwise().copyColumns(queue, x, ids, 0));
      refused("toMN has no columns", () -> kernels.elementwise().copyColumns(queue, x, x, 1));
      refused("x is INT32", () -> kernels.elementwise().scale(queue, ids, 2));
    }
  }
}
