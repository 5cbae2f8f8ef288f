package io.hirundo.devicecpu.internal.embedding;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/**
 * What both kernels of the embedding take, checked.
 *
 * @param tokens token ids, INT32
 * @param firstToken the id of the table's first row
 * @param table rows of the vocabulary, or their gradient
 * @param rows a row for each token, of the type of the table, or BF16 with an FP32 table
 */
record EmbeddingOperands(CpuTensor tokens, int firstToken, CpuTensor table, CpuTensor rows) {
    static EmbeddingOperands of(
            Tensor tokensT, int firstToken, String tableName, Tensor table, String rowsName, Tensor rows) {
        CpuTensor checkedTokens = CpuTensor.CHECK.of("tokensT", tokensT, DType.INT32);
        CpuTensor checkedRows = CpuTensor.CHECK.floating(rowsName, rows);
        CpuTensor checkedTable = CpuTensor.CHECK.of(
                tableName, table, checkedRows.dtype(), checkedRows.dtype().statisticsType());
        CpuTensor.CHECK.matrix(
                rowsName, rows, checkedTokens.elements(), checkedTable.shape().columns());
        return new EmbeddingOperands(checkedTokens, firstToken, checkedTable, checkedRows);
    }

    int count() {
        return Math.toIntExact(tokens.elements());
    }

    int channels() {
        return Math.toIntExact(table.shape().columns());
    }

    long rowBytes() {
        return (long) channels() * rows.dtype().byteSize();
    }

    long tableRowBytes() {
        return (long) channels() * table.dtype().byteSize();
    }

    /** Rows of the table. */
    long vocabulary() {
        return table.shape().rows();
    }

    /** The table's row of a token id, or -1 when the table does not hold it. */
    static long row(int token, int firstToken, long vocabulary) {
        long row = (long) token - firstToken;
        return row < 0 || row >= vocabulary ? -1 : row;
    }
}
