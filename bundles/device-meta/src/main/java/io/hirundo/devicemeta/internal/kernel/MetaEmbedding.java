package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Embedding: no operations in the forward, an addition per element in the backward. Moves one table row per token. */
record MetaEmbedding(Work work) implements EmbeddingKernels {
    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        MetaTensor y = rows(tokensT, "tableVC", tableVC, "yTC", yTC);
        work.bookBytes(queue, "embedding.forward", 0, tokensT.byteSize() + movedBytes(y, tableVC));
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        MetaTensor dy = rows(tokensT, "dTableVC", dTableVC, "dyTC", dyTC);
        work.bookBytes(queue, "embedding.backward", dy.elements(), tokensT.byteSize() + movedBytes(dy, dTableVC));
    }

    private static MetaTensor rows(Tensor tokensT, String tableName, Tensor tableVC, String name, Tensor tensor) {
        MetaTensor tokens = MetaTensor.CHECK.of("tokensT", tokensT, DType.INT32);
        DType dtype = MetaTensor.CHECK.floating(name, tensor).dtype();
        MetaTensor table = MetaTensor.CHECK.of(tableName, tableVC, dtype, dtype.statisticsType());
        return MetaTensor.CHECK.matrix(
                name, tensor, tokens.elements(), table.shape().columns());
    }

    /** Bytes of rows read and written. */
    private static long movedBytes(MetaTensor rows, Tensor table) {
        return rows.elements() * (rows.dtype().byteSize() + table.dtype().byteSize());
    }
}
