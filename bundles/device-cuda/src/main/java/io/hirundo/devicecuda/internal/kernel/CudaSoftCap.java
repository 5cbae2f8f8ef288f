package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.SoftCapKernels;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code softcap.cu}. */
record CudaSoftCap(Modules modules) implements SoftCapKernels {
    private static final String FILE = "softcap";

    @Override
    public void cap(Queue queue, Tensor x, double cap) {
        CudaTensor checked = CudaTensor.CHECK.floating("x", x);
        modules.launch(queue, FILE, "cap" + CudaTensor.suffix(checked))
                .tensor(checked)
                .integer(checked.elements())
                .real(cap)
                .run(Grid.of(checked.elements()), Grid.THREADS);
    }

    @Override
    public void gradient(Queue queue, Tensor capped, double cap, Tensor dy) {
        CudaTensor gradient = CudaTensor.CHECK.floating("x", dy);
        modules.launch(queue, FILE, "gradient" + CudaTensor.suffix(gradient))
                .tensor(CudaTensor.CHECK.vector("capped", capped, gradient.elements(), gradient.dtype()))
                .tensor(gradient)
                .integer(gradient.elements())
                .real(cap)
                .run(Grid.of(gradient.elements()), Grid.THREADS);
    }
}
