package io.hirundo.devicecpu.internal.attention;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** What joining attention over further keys to attention so far takes, checked. */
record MergeOperands(
        AttentionShape shape, CpuTensor part, CpuTensor partLogSumExp, CpuTensor output, CpuTensor logSumExp) {
    static MergeOperands of(
            AttentionShape shape, Tensor partTHD, Tensor partLogSumExpBHS, Tensor outputTHD, Tensor logSumExpBHS) {
        if (shape.sequences() < 0 || shape.queryTokens() < 0) {
            throw new IllegalArgumentException("negative extent in " + shape);
        }
        DType dtype = CpuTensor.CHECK.floating("outputTHD", outputTHD).dtype();
        return new MergeOperands(
                shape,
                AttentionOperands.rows(shape, dtype, "partTHD", partTHD),
                AttentionOperands.logSumExp(shape, dtype, "partLogSumExpBHS", partLogSumExpBHS),
                AttentionOperands.rows(shape, dtype, "outputTHD", outputTHD),
                AttentionOperands.logSumExp(shape, dtype, "logSumExpBHS", logSumExpBHS));
    }

    long tokens() {
        return (long) shape.sequences() * shape.queryTokens();
    }

    /** The index of a token's logarithm for a head. */
    long logSumExpIndex(long token, int head) {
        long sequence = token / shape.queryTokens();
        return (sequence * shape.heads().query() + head) * shape.queryTokens() + token % shape.queryTokens();
    }

    /** Whether the loops serve: all but FP64. */
    boolean isFast() {
        return output.dtype() != DType.FP64;
    }
}
