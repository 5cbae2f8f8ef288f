package io.hirundo.devicecpu.internal.embedding;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.Tensor;

/** Embedding lookup and its gradient, token after token, for FP64, FP32 and BF16. */
public final class ReferenceEmbedding implements EmbeddingKernels {
    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        EmbeddingOperands operands = EmbeddingOperands.of(tokensT, firstToken, "tableVC", tableVC, "yTC", yTC);
        int channels = operands.channels();
        for (int token = 0; token < operands.count(); token++) {
            long row = rowOf(operands, token);
            for (int c = 0; c < channels; c++) {
                double value = row < 0 ? 0 : operands.table().getDouble(row * channels + c);
                operands.rows().setDouble((long) token * channels + c, value);
            }
        }
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        EmbeddingOperands operands = EmbeddingOperands.of(tokensT, firstToken, "dTableVC", dTableVC, "dyTC", dyTC);
        CpuTensor dTable = operands.table();
        int channels = operands.channels();
        for (int token = 0; token < operands.count(); token++) {
            long row = rowOf(operands, token);
            for (int c = 0; c < channels && row >= 0; c++) {
                double dy = operands.rows().getDouble((long) token * channels + c);
                dTable.setDouble(row * channels + c, dTable.getDouble(row * channels + c) + dy);
            }
        }
    }

    private static long rowOf(EmbeddingOperands operands, int token) {
        return EmbeddingOperands.row(
                (int) operands.tokens().getDouble(token), operands.firstToken(), operands.vocabulary());
    }
}
