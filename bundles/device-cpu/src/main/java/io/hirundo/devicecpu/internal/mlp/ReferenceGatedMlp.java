package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/**
 * SwiGLU as its formulas say, in double arithmetic, for FP64, FP32 and BF16. With {@code s = 1 / (1 + exp(-gate))},
 * {@code y = gate s up} (Shazeer 2020, arXiv 2002.05202), so {@code dUp = dy gate s} and
 * {@code dGate = dy up s (1 + gate (1 - s))}.
 */
public final class ReferenceGatedMlp implements GatedMlpKernels {
  @Override
  public void forward(Queue queue, Tensor gateUpT2F, Tensor yTF) {
    GatedMlpOperands operands = GatedMlpOperands.of("yTF", yTF, gateUpT2F);
    int channels = operands.channels();
    for (long token = 0; token < operands.tokens(); token++) {
      for (int c = 0; c < channels; c++) {
        double gate = operands.gateUp().getDouble(2 * token * channels + c);
        double up = operands.gateUp().getDouble((2 * token + 1) * channels + c);
        operands.inner().setDouble(token * channels + c, gate * sigmoid(gate) * up);
      }
    }
  }

  @Override
  public void backward(Queue queue, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
    GatedMlpOperands operands = GatedMlpOperands.of("dyTF", dyTF, gateUpT2F);
    CpuTensor dGateUp = operands.fused("dGateUpT2F", dGateUpT2F);
    int channels = operands.channels();
    for (long token = 0; token < operands.tokens(); token++) {
      for (int c = 0; c < channels; c++) {
        long gateIndex = 2 * token * channels + c;
        long upIndex = gateIndex + channels;
        double gate = operands.gateUp().getDouble(gateIndex);
        double up = operands.gateUp().getDouble(upIndex);
        double dy = operands.inner().getDouble(token * channels + c);
        double s = sigmoid(gate);
        dGateUp.setDouble(gateIndex, dy * up * s * (1 + gate * (1 - s)));
        dGateUp.setDouble(upIndex, dy * gate * s);
      }
    }
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }
}
