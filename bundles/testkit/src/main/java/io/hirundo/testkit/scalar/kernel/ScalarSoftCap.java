package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

/** Scalar soft caps of logits. */
final class ScalarSoftCap implements SoftCapKernels {
    @Override
    public void cap(Queue queue, Tensor x, double cap) {
        ScalarTensor logits = ScalarTensor.of("x", x);
        for (long i = 0; i < logits.elements(); i++) {
            logits.set(i, cap * Math.tanh(logits.get(i) / cap));
        }
    }

    @Override
    public void gradient(Queue queue, Tensor capped, double cap, Tensor dy) {
        ScalarTensor logits = ScalarTensor.of("capped", capped);
        ScalarTensor gradient = ScalarOperands.floating("dy", dy, logits.elements());
        for (long i = 0; i < logits.elements(); i++) {
            double tanh = logits.get(i) / cap;
            gradient.set(i, gradient.get(i) * (1 - tanh * tanh));
        }
    }
}
