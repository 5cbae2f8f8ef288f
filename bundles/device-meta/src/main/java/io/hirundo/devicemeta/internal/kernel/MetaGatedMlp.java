package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/** Gated MLPs. Operations per output element: SwiGLU forward 5, backward 11; GeGLU 8 and 17. */
record MetaGatedMlp(Work work) implements GatedMlpKernels {
    @Override
    public boolean supports(GateActivation activation) {
        return true;
    }

    @Override
    public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
        MetaTensor y = MetaTensor.CHECK.floating("yTF", yTF);
        work.book(
                queue,
                "gatedMlp.forward",
                (activation == GateActivation.SILU ? 5 : 8) * y.elements(),
                fused(y, "gateUpT2F", gateUpT2F),
                y);
    }

    @Override
    public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
        MetaTensor dy = MetaTensor.CHECK.floating("dyTF", dyTF);
        MetaTensor gateUp = fused(dy, "gateUpT2F", gateUpT2F);
        work.book(
                queue,
                "gatedMlp.backward",
                (activation == GateActivation.SILU ? 11 : 17) * dy.elements(),
                dy,
                gateUp,
                fused(dy, "dGateUpT2F", dGateUpT2F));
    }

    private static MetaTensor fused(MetaTensor inner, String name, Tensor tensor) {
        return MetaTensor.CHECK.matrix(
                name, tensor, inner.shape().rows(), 2 * inner.shape().columns(), inner.dtype());
    }
}
