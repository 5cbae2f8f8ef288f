package io.hirundo.devicecpu.internal.attention;

import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * What the forward of attention takes, and its backward too, checked.
 *
 * @param documentStarts of each query; null where a sequence is one document
 */
public record AttentionOperands(
        AttentionShape shape, Inputs in, CpuTensor output, CpuTensor logSumExp, CpuTensor documentStarts) {
    /** Queries, keys and values, or their gradients. */
    public record Inputs(CpuTensor query, CpuTensor key, CpuTensor value) {}

    public static AttentionOperands of(AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        if (shape.sequences() < 0 || shape.queryTokens() < 0 || shape.keyTokens() < 0) {
            throw new IllegalArgumentException("negative extent in " + shape);
        }
        DType dtype = CpuTensor.CHECK.floating("queryBHSD", in.queryBHSD()).dtype();
        return new AttentionOperands(
                shape,
                inputs(shape, dtype, "", in),
                rows(shape, dtype, "outputTHD", outputTHD),
                logSumExp(shape, dtype, "logSumExpBHS", logSumExpBHS),
                shape.documents()
                        .map(bounds -> starts(shape, bounds.startsBS()))
                        .orElse(null));
    }

    private static CpuTensor starts(AttentionShape shape, Tensor startsBS) {
        return CpuTensor.CHECK.vector(
                "startsBS", startsBS, (long) shape.sequences() * shape.queryTokens(), DType.INT32);
    }

    /** Of {@link #documentStarts}; 0 where a sequence is one document. */
    public long startsAddress() {
        return documentStarts == null ? 0 : documentStarts.address();
    }

    /** The first key of a query's document and window, 0 where these began before all keys; may be past the last. */
    int firstKey(int sequence, int query) {
        int inWindow = shape.firstInWindow(query);
        if (documentStarts == null) {
            return inWindow;
        }
        double start = documentStarts.getDouble((long) sequence * shape.queryTokens() + query);
        return (int) Math.max(inWindow, start - shape.documents().orElseThrow().firstKey());
    }

    /** The gradients of queries, keys and values. */
    public Inputs gradient(QueryKeyValue gradient) {
        return inputs(shape, dtype(), "gradient.", gradient);
    }

    /** The gradient of the output. */
    public CpuTensor outputGradient(Tensor outputGradientTHD) {
        return rows(shape, dtype(), "outputGradientTHD", outputGradientTHD);
    }

    public DType dtype() {
        return output.dtype();
    }

    /** The index of a query's output, of its first channel. */
    public long outputIndex(int sequence, int head, int query) {
        return ((long) sequence * shape.queryTokens() + query) * shape.heads().outputChannels()
                + (long) head * shape.heads().dim();
    }

    private static Inputs inputs(AttentionShape shape, DType dtype, String prefix, QueryKeyValue tensors) {
        int dim = shape.heads().dim();
        Shape queries = Shape.of(shape.sequences(), shape.heads().query(), shape.queryTokens(), dim);
        Shape keys = Shape.of(shape.sequences(), shape.heads().keyValue(), shape.keyTokens(), dim);
        return new Inputs(
                CpuTensor.CHECK.exactly(prefix + "queryBHSD", tensors.queryBHSD(), queries, dtype),
                CpuTensor.CHECK.exactly(prefix + "keyBGSD", tensors.keyBGSD(), keys, dtype),
                CpuTensor.CHECK.exactly(prefix + "valueBGSD", tensors.valueBGSD(), keys, dtype));
    }

    /** A number for each query of each head. */
    static CpuTensor logSumExp(AttentionShape shape, DType dtype, String operand, Tensor tensor) {
        long queries = (long) shape.sequences() * shape.heads().query() * shape.queryTokens();
        return CpuTensor.CHECK.vector(operand, tensor, queries, dtype.statisticsType());
    }

    /** The output of all heads for each query, or its gradient. */
    static CpuTensor rows(AttentionShape shape, DType dtype, String operand, Tensor tensor) {
        long tokens = (long) shape.sequences() * shape.queryTokens();
        return CpuTensor.CHECK.matrix(operand, tensor, tokens, shape.heads().outputChannels(), dtype);
    }
}
