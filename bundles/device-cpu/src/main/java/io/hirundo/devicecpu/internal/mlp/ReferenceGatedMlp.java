package io.hirundo.devicecpu.internal.mlp;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/**
 * Gated MLPs as their formulas say, in double arithmetic, for FP64, FP32 and BF16 (Shazeer 2020, arXiv 2002.05202). SiLU: with
 * {@code s = 1 / (1 + exp(-gate))}, {@code y = gate s up}, so {@code dUp = dy gate s} and {@code dGate = dy up s (1 + gate (1 - s))}. GELU:
 * with {@code u = sqrt(2 / pi) (gate + 0.044715 gate³)}, {@code s = (1 + tanh(u)) / 2}, the sigmoid of {@code 2 u}, so
 * {@code dGate = dy up s (1 + gate 2 u' (1 - s))}.
 */
public final class ReferenceGatedMlp implements GatedMlpKernels {
    private static final double ROOT = Math.sqrt(2 / Math.PI);
    private static final double CUBIC = 0.044715;

    @Override
    public boolean supports(GateActivation activation) {
        return true;
    }

    @Override
    public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
        GatedMlpOperands operands = GatedMlpOperands.of("yTF", yTF, gateUpT2F);
        int channels = operands.channels();
        for (long token = 0; token < operands.tokens(); token++) {
            for (int c = 0; c < channels; c++) {
                double gate = operands.gateUp().getDouble(2 * token * channels + c);
                double up = operands.gateUp().getDouble((2 * token + 1) * channels + c);
                operands.inner().setDouble(token * channels + c, gate * share(activation, gate) * up);
            }
        }
    }

    @Override
    public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
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
                double s = share(activation, gate);
                dGateUp.setDouble(gateIndex, dy * up * s * (1 + gate * slope(activation, gate) * (1 - s)));
                dGateUp.setDouble(upIndex, dy * gate * s);
            }
        }
    }

    /** What the gate is multiplied by. */
    private static double share(GateActivation activation, double gate) {
        return switch (activation) {
            case SILU -> sigmoid(gate);
            case GELU_TANH -> (1 + Math.tanh(ROOT * (gate + CUBIC * gate * gate * gate))) / 2;
        };
    }

    /** The derivative of z, of which the share is the sigmoid. */
    private static double slope(GateActivation activation, double gate) {
        return switch (activation) {
            case SILU -> 1;
            case GELU_TANH -> 2 * ROOT * (1 + 3 * CUBIC * gate * gate);
        };
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
