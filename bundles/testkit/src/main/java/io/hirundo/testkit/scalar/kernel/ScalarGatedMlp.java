package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar gated MLPs. */
final class ScalarGatedMlp implements GatedMlpKernels {
    private static final double ROOT = Math.sqrt(2 / Math.PI);
    private static final double CUBIC = 0.044715;

    @Override
    public boolean supports(GateActivation activation) {
        return true;
    }

    @Override
    public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
        long inner = gateUpT2F.shape().dim(-1) / 2;
        ScalarTensor gateUp = ScalarOperands.floating("gateUpT2F", gateUpT2F, 2 * yTF.elements());
        ScalarTensor y = ScalarTensor.of("yTF", yTF);
        for (long i = 0; i < y.elements(); i++) {
            long gate = i / inner * 2 * inner + i % inner;
            y.set(i, activated(activation, gateUp.get(gate)) * gateUp.get(gate + inner));
        }
    }

    @Override
    public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
        long inner = gateUpT2F.shape().dim(-1) / 2;
        ScalarTensor gateUp = ScalarOperands.floating("gateUpT2F", gateUpT2F, 2 * dyTF.elements());
        ScalarTensor gradient = ScalarOperands.floating("dGateUpT2F", dGateUpT2F, gateUp.elements());
        ScalarTensor dy = ScalarTensor.of("dyTF", dyTF);
        for (long i = 0; i < dy.elements(); i++) {
            long at = i / inner * 2 * inner + i % inner;
            double gate = gateUp.get(at);
            double up = gateUp.get(at + inner);
            gradient.set(at, dy.get(i) * up * slope(activation, gate));
            gradient.set(at + inner, dy.get(i) * activated(activation, gate));
        }
    }

    private static double activated(GateActivation activation, double x) {
        return switch (activation) {
            case SILU -> x / (1 + Math.exp(-x));
            case GELU_TANH -> x / 2 * (1 + Math.tanh(ROOT * (x + CUBIC * x * x * x)));
        };
    }

    private static double slope(GateActivation activation, double x) {
        return switch (activation) {
            case SILU -> {
                double sigmoid = 1 / (1 + Math.exp(-x));
                yield sigmoid * (1 + x * (1 - sigmoid));
            }
            case GELU_TANH -> {
                double tanh = Math.tanh(ROOT * (x + CUBIC * x * x * x));
                yield (1 + tanh) / 2 + x / 2 * (1 - tanh * tanh) * ROOT * (1 + 3 * CUBIC * x * x);
            }
        };
    }
}
