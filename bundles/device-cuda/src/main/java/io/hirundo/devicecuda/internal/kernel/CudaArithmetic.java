package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.stream.Launch;
import io.hirundo.kernel.ArithmeticKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code arithmetic.cu}. */
record CudaArithmetic(Modules modules) implements ArithmeticKernels {
    private static final String FILE = "arithmetic";

    @Override
    public void axpby(Queue queue, Factor a, Tensor xN, double b, Tensor yN) {
        CudaTensor y = CudaTensor.CHECK.floating("yN", yN);
        CudaTensor scalar = a.scalar1()
                .map(tensor -> CudaTensor.CHECK.vector("scalar1", tensor, 1, DType.FP64))
                .orElse(null);
        run(pair(queue, "axpby", xN, y).real(a.value()).tensor(scalar).real(b), y);
    }

    @Override
    public void multiply(Queue queue, Tensor xN, Tensor yN) {
        CudaTensor y = CudaTensor.CHECK.floating("yN", yN);
        run(pair(queue, "multiply", xN, y), y);
    }

    @Override
    public void divide(Queue queue, Tensor xN, double epsilon, Tensor yN) {
        CudaTensor y = CudaTensor.CHECK.floating("yN", yN);
        run(pair(queue, "divide", xN, y).real(epsilon), y);
    }

    @Override
    public void squareRoot(Queue queue, Tensor xN) {
        replace(queue, "square_root", xN);
    }

    @Override
    public void sign(Queue queue, Tensor xN) {
        replace(queue, "sign", xN);
    }

    private void replace(Queue queue, String kernel, Tensor xN) {
        CudaTensor x = CudaTensor.CHECK.floating("xN", xN);
        run(modules.launch(queue, FILE, kernel + CudaTensor.suffix(x)).tensor(x).integer(x.elements()), x);
    }

    private Launch pair(Queue queue, String kernel, Tensor xN, CudaTensor y) {
        CudaTensor x = CudaTensor.CHECK.vector("xN", xN, y.elements(), y.dtype());
        return modules.launch(queue, FILE, kernel + CudaTensor.suffix(y))
                .tensor(x)
                .tensor(y)
                .integer(y.elements());
    }

    private static void run(Launch launch, CudaTensor written) {
        launch.run(Grid.of(written.elements()), Grid.THREADS);
    }
}
