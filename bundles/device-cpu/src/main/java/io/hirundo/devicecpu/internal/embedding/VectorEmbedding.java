package io.hirundo.devicecpu.internal.embedding;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.ElementwiseLoops;
import io.hirundo.devicecpu.internal.vector.NormRows;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.EmbeddingKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Embedding with the Vector API. The lookup copies rows of any floating type, and rounds FP32 rows to BF16. The gradient of the
 * table is FP32; FP64 and BF16 ones go to {@link ReferenceEmbedding}. Task c of the gradient adds the rows of tokens with
 * {@code id mod N = c}, in token order, so no two tasks write one row. The number N of tasks changes no bits.
 */
public final class VectorEmbedding implements EmbeddingKernels {
    /** Tasks of the gradient at least, a power of two. More only for more workers, because each task reads all token ids. */
    private static final int LEAST_TASKS = 16;

    private static final int TASKS_OF_WORKER = 4;

    private final WorkerPool pool;
    private final ReferenceEmbedding reference = new ReferenceEmbedding();

    public VectorEmbedding(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void forward(Queue queue, Tensor tokensT, int firstToken, Tensor tableVC, Tensor yTC) {
        EmbeddingOperands operands = EmbeddingOperands.of(tokensT, firstToken, "tableVC", tableVC, "yTC", yTC);
        long tokens = operands.tokens().address();
        long vocabulary = operands.vocabulary();
        long table = operands.table().address();
        long y = operands.rows().address();
        long tableRowBytes = operands.tableRowBytes();
        long rowBytes = operands.rowBytes();
        boolean rounds = rowBytes != tableRowBytes;
        Blocks.rows(pool, operands.count(), operands.channels(), (first, count) -> {
            for (long token = first; token < first + count; token++) {
                long row = EmbeddingOperands.row(Memory.getInt(tokens + token * 4), firstToken, vocabulary);
                if (row < 0) {
                    Memory.zero(y + token * rowBytes, rowBytes);
                } else if (rounds) {
                    ElementwiseLoops.toBf16(table + row * tableRowBytes, operands.channels(), y + token * rowBytes);
                } else {
                    Memory.copy(table + row * rowBytes, y + token * rowBytes, rowBytes);
                }
            }
        });
    }

    @Override
    public void backward(Queue queue, Tensor dyTC, Tensor tokensT, int firstToken, Tensor dTableVC) {
        EmbeddingOperands operands = EmbeddingOperands.of(tokensT, firstToken, "dTableVC", dTableVC, "dyTC", dyTC);
        if (operands.table().dtype() != DType.FP32) {
            reference.backward(queue, dyTC, tokensT, firstToken, dTableVC);
            return;
        }
        long tokens = operands.tokens().address();
        long vocabulary = operands.vocabulary();
        int channels = operands.channels();
        int tasks = Math.max(LEAST_TASKS, TASKS_OF_WORKER * Integer.highestOneBit(pool.size()));
        pool.run(tasks, (task, scratch) -> {
            WideSpan dy = WideSpan.of(operands.rows(), channels, scratch);
            for (int token = 0; token < operands.count(); token++) {
                long row = EmbeddingOperands.row(Memory.getInt(tokens + token * 4L), firstToken, vocabulary);
                if (row >= 0 && (row & tasks - 1) == task) {
                    long sum = operands.table().address() + row * operands.tableRowBytes();
                    NormRows.add(sum, dy.read((long) token * channels, channels), channels, sum);
                }
            }
        });
    }
}
