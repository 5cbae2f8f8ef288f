package io.hirundo.devicemeta.internal.kernel;

import io.hirundo.device.Queue;
import io.hirundo.devicemeta.internal.memory.MetaTensor;
import io.hirundo.devicemeta.internal.work.Work;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryGradientSums;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Attention. The forward has two GEMMs over the unmasked query-key pairs, the backward five, because it recomputes the scores;
 * softmax is not counted. A pair on the causal diagonal counts half, so that a causal square of S tokens is {@code S² / 2} pairs,
 * as in Megatron-LM. Document masks do not change the count, because they depend on the data. Rotating a pair of channels takes 6
 * operations, merging a channel of two outputs 3.
 *
 * @param ofQueryGradients allocates and releases workspace bytes for the dQ accumulators
 */
record MetaAttention(Work work, LongConsumer ofQueryGradients) implements AttentionKernels {
    private static final long FORWARD_GEMMS = 2;
    private static final long BACKWARD_GEMMS = 5;

    @Override
    public void splitAndRotate(
            Queue queue,
            Heads heads,
            int sequences,
            Tensor qkvTE,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue out) {
        rotate(queue, "attention.splitAndRotate", heads, sequences, "qkvTE", qkvTE, cosPD2, sinPD2, positionsT, out);
    }

    @Override
    public void rotateBackAndJoin(
            Queue queue,
            Heads heads,
            int sequences,
            QueryKeyValue gradient,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            Tensor dqkvTE) {
        rotate(
                queue,
                "attention.rotateBackAndJoin",
                heads,
                sequences,
                "dqkvTE",
                dqkvTE,
                cosPD2,
                sinPD2,
                positionsT,
                gradient);
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return true;
    }

    @Override
    public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        long bytes = checkedBytes(shape, in, outputTHD, logSumExpBHS);
        work.bookBytes(queue, "attention.forward", flops(shape, FORWARD_GEMMS), bytes);
    }

    @Override
    public void backward(
            Queue queue,
            AttentionShape shape,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        long bytes = checkedBytes(shape, in, outputTHD, logSumExpBHS);
        DType dtype = in.queryBHSD().dtype();
        bytes += output(shape, "outputGradientTHD", outputGradientTHD, dtype).byteSize();
        bytes += headBytes(shape, gradient, "gradient.", dtype);
        boolean aligned = Stream.concat(
                        Stream.of(outputGradientTHD, outputTHD),
                        Stream.of(in, gradient).flatMap(MetaAttention::tensors))
                .allMatch(checked -> ((MetaTensor) checked).isAligned(QueryGradientSums.ALIGNMENT_BYTES));
        ofQueryGradients.accept(aligned ? QueryGradientSums.bytes(shape, dtype) : 0);
        work.bookBytes(queue, "attention.backward", flops(shape, BACKWARD_GEMMS), bytes);
    }

    @Override
    public void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS) {
        DType dtype = MetaTensor.CHECK.floating("outputTHD", outputTHD).dtype();
        MetaTensor part = output(shape, "partTHD", partTHD, dtype);
        MetaTensor partLogSumExp = logSumExp(shape, "partLogSumExpBHS", partLogSumExpBHS, dtype);
        MetaTensor output = output(shape, "outputTHD", outputTHD, dtype);
        MetaTensor logSumExp = logSumExp(shape, "logSumExpBHS", logSumExpBHS, dtype);
        work.book(queue, "attention.merge", 3 * output.elements(), part, partLogSumExp, output, logSumExp);
    }

    private static long flops(AttentionShape shape, long gemms) {
        return gemms
                * 2
                * shape.heads().dim()
                * shape.sequences()
                * shape.heads().query()
                * halfPairs(shape)
                / 2;
    }

    /** Twice the unmasked pairs of one head; a pair on the causal diagonal counts once. The window hides both of each pair. */
    static long halfPairs(AttentionShape shape) {
        long pairs = halfPairs(shape, shape.causalOffset());
        if (shape.options().window().isEmpty()) {
            return pairs;
        }
        long hidden = (long) shape.causalOffset() - shape.options().window().getAsInt();
        return pairs - 2 * seenPairs(shape, hidden);
    }

    /** Pairs of query i and key j with {@code j <= i + offset}. */
    private static long seenPairs(AttentionShape shape, long offset) {
        long queries = shape.queryTokens();
        long keys = shape.keyTokens();
        long firstSeeing = Math.clamp(-offset, 0, queries);
        long firstFull = Math.clamp(keys - 1 - offset, firstSeeing, queries);
        long first = firstSeeing + offset + 1;
        long last = firstFull + offset;
        return (firstFull - firstSeeing) * (first + last) / 2 + keys * (queries - firstFull);
    }

    private static long halfPairs(AttentionShape shape, long offset) {
        long queries = shape.queryTokens();
        long keys = shape.keyTokens();
        // Queries before firstSeeing attend to no key, those from firstFull on to all; between, query i attends to i +
        // offset and a
        // half.
        long firstSeeing = Math.clamp(-offset, 0, queries);
        long firstFull = Math.clamp(keys - offset, firstSeeing, queries);
        long from = firstSeeing + offset;
        long to = firstFull + offset;
        long partial = firstFull > firstSeeing ? to * to - from * from : 0;
        return partial + 2 * keys * (queries - firstFull);
    }

    private static long checkedBytes(AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        DType dtype = MetaTensor.CHECK.floating("queryBHSD", in.queryBHSD()).dtype();
        MetaTensor logSumExp = logSumExp(shape, "logSumExpBHS", logSumExpBHS, dtype);
        long queries = (long) shape.sequences() * shape.queryTokens();
        shape.documents()
                .ifPresent(bounds -> MetaTensor.CHECK.vector("startsBS", bounds.startsBS(), queries, DType.INT32));
        return headBytes(shape, in, "", dtype)
                + output(shape, "outputTHD", outputTHD, dtype).byteSize()
                + logSumExp.byteSize();
    }

    private static MetaTensor logSumExp(AttentionShape shape, String name, Tensor tensor, DType dtype) {
        long queries = (long) shape.sequences() * shape.heads().query() * shape.queryTokens();
        return MetaTensor.CHECK.vector(name, tensor, queries, dtype.statisticsType());
    }

    private static MetaTensor output(AttentionShape shape, String name, Tensor tensor, DType dtype) {
        long tokens = (long) shape.sequences() * shape.queryTokens();
        return MetaTensor.CHECK.matrix(name, tensor, tokens, shape.heads().outputChannels(), dtype);
    }

    private static long headBytes(AttentionShape shape, QueryKeyValue tensors, String prefix, DType dtype) {
        Heads heads = shape.heads();
        Shape queries = Shape.of(shape.sequences(), heads.query(), shape.queryTokens(), heads.dim());
        Shape keys = Shape.of(shape.sequences(), heads.keyValue(), shape.keyTokens(), heads.dim());
        return MetaTensor.CHECK
                        .exactly(prefix + "queryBHSD", tensors.queryBHSD(), queries, dtype)
                        .byteSize()
                + MetaTensor.CHECK
                        .exactly(prefix + "keyBGSD", tensors.keyBGSD(), keys, dtype)
                        .byteSize()
                + MetaTensor.CHECK
                        .exactly(prefix + "valueBGSD", tensors.valueBGSD(), keys, dtype)
                        .byteSize();
    }

    private static Stream<Tensor> tensors(QueryKeyValue heads) {
        return Stream.of(heads.queryBHSD(), heads.keyBGSD(), heads.valueBGSD());
    }

    private void rotate(
            Queue queue,
            String kernel,
            Heads heads,
            int sequences,
            String name,
            Tensor fusedTE,
            Tensor cosPD2,
            Tensor sinPD2,
            Tensor positionsT,
            QueryKeyValue split) {
        MetaTensor fused = MetaTensor.CHECK.floating(name, fusedTE);
        long tokens = fused.shape().rows();
        if (sequences < 1 || tokens % sequences != 0) {
            throw new IllegalArgumentException(
                    name + " has " + tokens + " rows, which are not " + sequences + " sequences");
        }
        MetaTensor.CHECK.matrix(name, fused, tokens, heads.fusedChannels());
        MetaTensor cos = MetaTensor.CHECK.of("cosPD2", cosPD2, fused.dtype(), DType.FP32);
        MetaTensor.CHECK.matrix("cosPD2", cos, cos.shape().rows(), heads.dim() / 2);
        MetaTensor.CHECK.matrix("sinPD2", sinPD2, cos.shape().rows(), heads.dim() / 2, cos.dtype());
        MetaTensor positions = MetaTensor.CHECK.vector("positionsT", positionsT, tokens, DType.INT32);
        var shape = AttentionShape.causal(sequences, Math.toIntExact(tokens / sequences), heads);
        long tableBytes = tokens * heads.dim() * cos.dtype().byteSize();
        long bytes = fused.byteSize() + headBytes(shape, split, "", fused.dtype()) + tableBytes + positions.byteSize();
        work.bookBytes(queue, kernel, 3 * tokens * (heads.query() + heads.keyValue()) * heads.dim(), bytes);
    }
}
