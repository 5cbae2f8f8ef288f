package io.hirundo.devicecuda.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.devicecuda.internal.memory.Operands;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code embedding.cu}, with one block per token. */
record CudaEmbedding(Modules modules) implements EmbeddingKernels {
    private static final String FILE = "embedding";

    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        CudaTensor tokens = Operands.of("tokensT", tokensT, DType.INT32);
        CudaTensor y = Operands.floating("yTC", yTC);
        CudaTensor table = Operands.of("tableVC", tableVC, y.dtype(), Operands.statisticsType(y.dtype()));
        Operands.matrix("yTC", yTC, tokens.elements(), Operands.columnsOf(table));
        modules.launch(queue, FILE, "forward" + Operands.suffix(y) + Operands.suffix(table))
                .tensor(tokens)
                .integer(firstToken)
                .integer(Operands.rowsOf(table))
                .tensor(table)
                .tensor(y)
                .integer(Operands.columnsOf(table))
                .run(tokens.elements(), Grid.THREADS);
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        CudaTensor tokens = Operands.of("tokensT", tokensT, DType.INT32);
        CudaTensor dy = Operands.floating("dyTC", dyTC);
        CudaTensor dTable = Operands.of("dTableVC", dTableVC, dy.dtype(), Operands.statisticsType(dy.dtype()));
        Operands.matrix("dyTC", dyTC, tokens.elements(), Operands.columnsOf(dTable));
        modules.launch(queue, FILE, "backward" + Operands.suffix(dy) + Operands.suffix(dTable))
                .tensor(dy)
                .tensor(tokens)
                .integer(firstToken)
                .integer(Operands.rowsOf(dTable))
                .tensor(dTable)
                .integer(tokens.elements())
                .integer(Operands.columnsOf(dTable))
                .run(tokens.elements(), Grid.THREADS);
    }
}
