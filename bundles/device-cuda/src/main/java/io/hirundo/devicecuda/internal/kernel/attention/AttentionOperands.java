package io.hirundo.devicecuda.internal.kernel.attention;

import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.stream.Stream;

/**
 * The checked operands of the forward pass, which the backward pass also takes.
 *
 * @param starts first key of each query's document; null if each sequence is one document
 */
record AttentionOperands(
        AttentionShape shape, SplitOperands in, CudaTensor output, CudaTensor logSumExp, CudaTensor starts) {
    private static final int MAX_CHANNELS = 512;

    static AttentionOperands of(AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        if (shape.heads().dim() > MAX_CHANNELS) {
            throw new IllegalArgumentException("heads of " + shape.heads().dim()
                    + " channels: device cuda has kernels for " + MAX_CHANNELS + " at most");
        }
        DType dtype = CudaTensor.CHECK.floating("queryBHSD", in.queryBHSD()).dtype();
        long queries = (long) shape.sequences() * shape.queryTokens();
        return new AttentionOperands(
                shape,
                SplitOperands.of(
                        "", in, shape.sequences(), shape.queryTokens(), shape.keyTokens(), shape.heads(), dtype),
                rows(shape, dtype, "outputTHD", outputTHD),
                logSumExp(shape, dtype, "logSumExpBHS", logSumExpBHS),
                shape.documents()
                        .map(bounds -> CudaTensor.CHECK.vector("startsBS", bounds.startsBS(), queries, DType.INT32))
                        .orElse(null));
    }

    /** Whether there are queries and keys, because the driver cannot encode a map without rows. */
    boolean hasTiles() {
        return in.query().elements() > 0 && in.key().elements() > 0;
    }

    /** The operands with the dtype of the call. */
    Stream<CudaTensor> tensors() {
        return Stream.concat(in.tensors(), Stream.of(output));
    }

    static CudaTensor rows(AttentionShape shape, DType dtype, String operand, Tensor tensor) {
        long tokens = (long) shape.sequences() * shape.queryTokens();
        return CudaTensor.CHECK.matrix(operand, tensor, tokens, shape.heads().outputChannels(), dtype);
    }

    static CudaTensor logSumExp(AttentionShape shape, DType dtype, String operand, Tensor tensor) {
        long queries = (long) shape.sequences() * shape.heads().query() * shape.queryTokens();
        return CudaTensor.CHECK.vector(operand, tensor, queries, dtype.statisticsType());
    }
}
