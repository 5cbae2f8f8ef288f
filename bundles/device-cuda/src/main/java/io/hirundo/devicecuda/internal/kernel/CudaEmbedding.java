package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code embedding.cu}, with one block per token. */
record CudaEmbedding(Modules modules) implements EmbeddingKernels {
    private static final String FILE = "embedding";

    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        CudaTensor tokens = CudaTensor.CHECK.of("tokensT", tokensT, DType.INT32);
        CudaTensor y = CudaTensor.CHECK.floating("yTC", yTC);
        CudaTensor table =
                CudaTensor.CHECK.of("tableVC", tableVC, y.dtype(), y.dtype().statisticsType());
        CudaTensor.CHECK.matrix("yTC", yTC, tokens.elements(), table.shape().columns());
        modules.launch(queue, FILE, "forward" + CudaTensor.suffix(y) + CudaTensor.suffix(table))
                .tensor(tokens)
                .integer(firstToken)
                .integer(table.shape().rows())
                .tensor(table)
                .tensor(y)
                .integer(table.shape().columns())
                .run(tokens.elements(), Grid.THREADS);
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        CudaTensor tokens = CudaTensor.CHECK.of("tokensT", tokensT, DType.INT32);
        CudaTensor dy = CudaTensor.CHECK.floating("dyTC", dyTC);
        CudaTensor dTable =
                CudaTensor.CHECK.of("dTableVC", dTableVC, dy.dtype(), dy.dtype().statisticsType());
        CudaTensor.CHECK.matrix("dyTC", dyTC, tokens.elements(), dTable.shape().columns());
        modules.launch(queue, FILE, "backward" + CudaTensor.suffix(dy) + CudaTensor.suffix(dTable))
                .tensor(dy)
                .tensor(tokens)
                .integer(firstToken)
                .integer(dTable.shape().rows())
                .tensor(dTable)
                .integer(tokens.elements())
                .integer(dTable.shape().columns())
                .run(tokens.elements(), Grid.THREADS);
    }
}
