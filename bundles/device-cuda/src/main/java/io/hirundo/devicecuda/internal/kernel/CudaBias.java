package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code bias.cu}. */
record CudaBias(Modules modules) implements BiasKernels {
    private static final String FILE = "bias";
    private static final long COLUMNS_OF_BLOCK = 32;

    @Override
    public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
        CudaTensor x = CudaTensor.CHECK.floating("xTM", xTM);
        CudaTensor bias = bias("biasN", biasN, "xTM", x, firstColumn);
        modules.launch(queue, FILE, "add" + CudaTensor.suffix(x) + CudaTensor.suffix(bias))
                .tensor(bias)
                .tensor(x)
                .integer(bias.elements())
                .integer(x.shape().columns())
                .integer(firstColumn)
                .run(x.shape().rows(), Grid.THREADS);
    }

    @Override
    public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
        CudaTensor dy = CudaTensor.CHECK.floating("dyTM", dyTM);
        CudaTensor dBias = bias("dBiasN", dBiasN, "dyTM", dy, firstColumn);
        modules.launch(queue, FILE, "add_column_sums" + CudaTensor.suffix(dy) + CudaTensor.suffix(dBias))
                .tensor(dy)
                .tensor(dBias)
                .integer(dy.shape().rows())
                .integer(dBias.elements())
                .integer(dy.shape().columns())
                .integer(firstColumn)
                .run(Math.ceilDiv(dBias.elements(), COLUMNS_OF_BLOCK), Grid.THREADS);
    }

    /** FP32 is also allowed with BF16 activations. */
    private static CudaTensor bias(String name, Tensor tensor, String matrixName, CudaTensor matrix, long firstColumn) {
        CudaTensor bias =
                CudaTensor.CHECK.of(name, tensor, matrix.dtype(), matrix.dtype().statisticsType());
        long columns = matrix.shape().columns();
        if (firstColumn < 0 || firstColumn > columns - bias.elements()) {
            throw new IllegalArgumentException(name + " is for columns " + firstColumn + " to "
                    + (firstColumn + bias.elements()) + " of " + matrixName + ", which has " + columns);
        }
        return bias;
    }
}
