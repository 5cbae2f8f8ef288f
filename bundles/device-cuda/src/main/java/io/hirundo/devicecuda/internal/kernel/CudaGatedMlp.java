package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.GateActivation;
import io.hirundo.kernel.GatedMlpKernels;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code gated_mlp.cu}, with one block per token. */
record CudaGatedMlp(Modules modules) implements GatedMlpKernels {
    private static final String FILE = "gated_mlp";

    @Override
    public boolean supports(GateActivation activation) {
        return true;
    }

    @Override
    public void forward(Queue queue, GateActivation activation, Tensor gateUpT2F, Tensor yTF) {
        CudaTensor y = CudaTensor.CHECK.floating("yTF", yTF);
        modules.launch(queue, FILE, name("forward", activation, y))
                .tensor(fused(y, "gateUpT2F", gateUpT2F))
                .tensor(y)
                .integer(y.shape().columns())
                .run(y.shape().rows(), Grid.THREADS);
    }

    @Override
    public void backward(Queue queue, GateActivation activation, Tensor dyTF, Tensor gateUpT2F, Tensor dGateUpT2F) {
        CudaTensor dy = CudaTensor.CHECK.floating("dyTF", dyTF);
        modules.launch(queue, FILE, name("backward", activation, dy))
                .tensor(dy)
                .tensor(fused(dy, "gateUpT2F", gateUpT2F))
                .tensor(fused(dy, "dGateUpT2F", dGateUpT2F))
                .integer(dy.shape().columns())
                .run(dy.shape().rows(), Grid.THREADS);
    }

    private static String name(String kernel, GateActivation activation, CudaTensor inner) {
        return kernel + (activation == GateActivation.GELU_TANH ? "_gelu" : "") + CudaTensor.suffix(inner);
    }

    /** An operand with a row of gate and up channels per token. */
    private static CudaTensor fused(CudaTensor inner, String name, Tensor tensor) {
        return CudaTensor.CHECK.matrix(
                name, tensor, inner.shape().rows(), 2 * inner.shape().columns(), inner.dtype());
    }
}
