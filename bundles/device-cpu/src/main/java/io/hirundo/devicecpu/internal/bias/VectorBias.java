package io.hirundo.devicecpu.internal.bias;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.NormRows;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.BiasKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * Biases with the Vector API, for FP32, and for BF16 that is widened row by row. FP64 and gradients in BF16 go to {@link
 * ReferenceBias}.
 */
public final class VectorBias implements BiasKernels {
    /** Columns that a task sums, and that it widens at once. */
    private static final int COLUMNS = 8 * Lanes.COUNT;

    private static final int BLOCK_ROWS = 64;

    private final WorkerPool pool;
    private final ReferenceBias reference = new ReferenceBias();

    public VectorBias(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void add(Queue queue, Tensor biasN, Tensor xTM, long firstColumn) {
        var operands = BiasOperands.of("biasN", biasN, "xTM", xTM, firstColumn);
        if (operands.matrix().dtype() == DType.FP64) {
            reference.add(queue, biasN, xTM, firstColumn);
            return;
        }
        // By pieces of a row, so that widened rows of any length fit a worker's memory.
        int piece = Math.min(operands.count(), Blocks.ELEMENTS);
        Blocks.rows(pool, operands.rows(), operands.count(), (first, rows, scratch) -> {
            WideSpan bias = WideSpan.of(operands.bias(), piece, scratch);
            WideSpan x = WideSpan.of(operands.matrix(), piece, scratch);
            for (int n = 0; n < operands.count(); n += piece) {
                int count = Math.min(piece, operands.count() - n);
                long biasAt = bias.read(n, count);
                for (long row = first; row < first + rows; row++) {
                    long element = operands.element(row) + n;
                    long at = x.read(element, count);
                    NormRows.add(at, biasAt, count, at);
                    x.store(element, count);
                }
            }
        });
    }

    @Override
    public void addColumnSums(Queue queue, Tensor dyTM, long firstColumn, Tensor dBiasN) {
        var operands = BiasOperands.of("dBiasN", dBiasN, "dyTM", dyTM, firstColumn);
        if (operands.bias().dtype() != DType.FP32) {
            reference.addColumnSums(queue, dyTM, firstColumn, dBiasN);
            return;
        }
        pool.run(
                Blocks.count(operands.count(), COLUMNS),
                (task, scratch) -> addColumnSums(operands, task * COLUMNS, scratch));
    }

    /**
     * Adds the sums of one task's columns. Rows are summed in blocks whose sums are added in order, so that rounding errors grow with the
     * block and the number of blocks, not with their product.
     */
    private static void addColumnSums(BiasOperands operands, int first, Scratch scratch) {
        int count = Math.min(COLUMNS, operands.count() - first);
        WideSpan dy = WideSpan.of(operands.matrix(), (long) BLOCK_ROWS * count, scratch);
        long sums = scratch.take(COLUMNS * 4L);
        long total = scratch.take(COLUMNS * 4L);
        Memory.zero(total, COLUMNS * 4L);
        long stride = dy.stride(operands.stride(), count);
        for (long block = 0; block < operands.rows(); block += BLOCK_ROWS) {
            int rows = (int) Math.min(BLOCK_ROWS, operands.rows() - block);
            long at = dy.readRows(operands.element(block) + first, operands.stride(), rows, count);
            Memory.zero(sums, COLUMNS * 4L);
            for (int row = 0; row < rows; row++) {
                NormRows.add(sums, at + row * stride, count, sums);
            }
            NormRows.add(total, sums, count, total);
        }
        long bias = operands.bias().address() + first * 4L;
        NormRows.add(bias, total, count, bias);
    }
}
