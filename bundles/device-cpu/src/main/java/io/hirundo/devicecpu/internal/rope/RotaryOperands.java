package io.hirundo.devicecpu.internal.rope;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * What splitting and rotating takes, in either direction, checked, every position included.
 *
 * @param fused rows of H query heads, G key heads, G value heads
 * @param split the same by heads
 */
public record RotaryOperands(Heads heads, int sequences, CpuTensor fused, Split split, Tables tables) {
    /** Queries, keys and values, head-major. */
    record Split(CpuTensor query, CpuTensor key, CpuTensor value) {}

    /** Cosines and sines by position, and the position of each token. */
    record Tables(CpuTensor cos, CpuTensor sin, CpuTensor positions) {}

    public static RotaryOperands of(
            Heads heads,
            int sequences,
            String fusedName,
            Tensor fused,
            QueryKeyValue split,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT) {
        CpuTensor checked = CpuTensor.CHECK.floating(fusedName, fused);
        DType dtype = checked.dtype();
        long tokens = checked.shape().rows();
        if (sequences < 1 || tokens % sequences != 0) {
            throw new IllegalArgumentException(
                    fusedName + " has " + tokens + " rows, which are not " + sequences + " sequences");
        }
        CpuTensor.CHECK.matrix(fusedName, fused, tokens, heads.fusedChannels());
        Shape queries = Shape.of(sequences, heads.query(), tokens / sequences, heads.dim());
        Shape keys = Shape.of(sequences, heads.keyValue(), tokens / sequences, heads.dim());
        Split checkedSplit = new Split(
                CpuTensor.CHECK.exactly("queryBHSD", split.queryBHSD(), queries, dtype),
                CpuTensor.CHECK.exactly("keyBGSD", split.keyBGSD(), keys, dtype),
                CpuTensor.CHECK.exactly("valueBGSD", split.valueBGSD(), keys, dtype));
        CpuTensor cos = CpuTensor.CHECK.of("cosPD2", cosPD2, dtype, DType.FP32);
        long positions = cos.shape().rows();
        CpuTensor.CHECK.matrix("cosPD2", cosPD2, positions, heads.dim() / 2);
        CpuTensor sin = CpuTensor.CHECK.matrix("sinPD2", sinPD2, positions, heads.dim() / 2, cos.dtype());
        CpuTensor rows = CpuTensor.CHECK.vector("positionsT", positionsT, tokens, DType.INT32);
        requireInTable(rows, positions);
        return new RotaryOperands(heads, sequences, checked, checkedSplit, new Tables(cos, sin, rows));
    }

    private static void requireInTable(CpuTensor rows, long positions) {
        for (long token = 0; token < rows.elements(); token++) {
            int position = Memory.getInt(rows.address() + token * 4);
            if (position < 0 || position >= positions) {
                throw new IllegalArgumentException("positionsT has " + position + " at token " + token
                        + ", outside of tables of " + positions + " positions");
            }
        }
    }

    public int tokens() {
        return Math.toIntExact(fused.shape().rows());
    }

    int sequenceTokens() {
        return tokens() / sequences;
    }

    int position(int token) {
        return Memory.getInt(tables.positions.address() + token * 4L);
    }

    /** The row of a token's head, in units of D: index of a tensor [B, headCount, S, D]. */
    long splitRow(int token, int head, int headCount) {
        int tokensEach = sequenceTokens();
        int sequence = token / tokensEach;
        return ((long) sequence * headCount + head) * tokensEach + token % tokensEach;
    }

    /** Whether the loops serve: FP32 or BF16 rows with FP32 tables. */
    public boolean isFast() {
        return fused.dtype() != DType.FP64 && tables.cos.dtype() == DType.FP32;
    }
}
