package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaOperandCheck;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code embedding.cu}, with one block per token. */
record CudaEmbedding(Modules modules) implements EmbeddingKernels {
    private static final String FILE = "embedding";

    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        CudaTensor tokens = CudaOperandCheck.of("tokensT", tokensT, DType.INT32);
        CudaTensor y = CudaOperandCheck.floating("yTC", yTC);
        CudaTensor table =
                CudaOperandCheck.of("tableVC", tableVC, y.dtype(), CudaOperandCheck.statisticsType(y.dtype()));
        CudaOperandCheck.matrix("yTC", yTC, tokens.elements(), CudaOperandCheck.columnsOf(table));
        modules.launch(queue, FILE, "forward" + CudaOperandCheck.suffix(y) + CudaOperandCheck.suffix(table))
                .tensor(tokens)
                .integer(firstToken)
                .integer(CudaOperandCheck.rowsOf(table))
                .tensor(table)
                .tensor(y)
                .integer(CudaOperandCheck.columnsOf(table))
                .run(tokens.elements(), Grid.THREADS);
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        CudaTensor tokens = CudaOperandCheck.of("tokensT", tokensT, DType.INT32);
        CudaTensor dy = CudaOperandCheck.floating("dyTC", dyTC);
        CudaTensor dTable =
                CudaOperandCheck.of("dTableVC", dTableVC, dy.dtype(), CudaOperandCheck.statisticsType(dy.dtype()));
        CudaOperandCheck.matrix("dyTC", dyTC, tokens.elements(), CudaOperandCheck.columnsOf(dTable));
        modules.launch(queue, FILE, "backward" + CudaOperandCheck.suffix(dy) + CudaOperandCheck.suffix(dTable))
                .tensor(dy)
                .tensor(tokens)
                .integer(firstToken)
                .integer(CudaOperandCheck.rowsOf(dTable))
                .tensor(dTable)
                .integer(tokens.elements())
                .integer(CudaOperandCheck.columnsOf(dTable))
                .run(tokens.elements(), Grid.THREADS);
    }
}
