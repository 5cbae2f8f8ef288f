package io.hirundo.devicecpu.internal.attention;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.rope.ReferenceRotary;
import io.hirundo.devicecpu.internal.rope.RotaryOperands;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.Tensor;

/**
 * Causal grouped-query attention, a query at a time, in double arithmetic, for FP64, FP32 and BF16. With
 * {@code s_j = q . k_j / sqrt(D)} over the keys j that a query sees, {@code L = log sum exp(s)} and {@code p = exp(s - L)}:
 * {@code o = sum p_j v_j} (Vaswani et al. 2017, arXiv 1706.03762). Backward (Dao 2023, arXiv 2307.08691):
 * {@code dv_j += p_j do}, {@code ds_j = p_j (do . v_j - do . o)}, {@code dq = sum ds_j k_j / sqrt(D)},
 * {@code dk_j += ds_j q / sqrt(D)}. With options, another scale is in place of {@code 1 / sqrt(D)}, s_j becomes
 * {@code t_j = c tanh(s_j / c)}, whose derivative {@code 1 - (t_j / c)²} multiplies ds_j, and keys before the window are not seen.
 */
public final class ReferenceAttention implements AttentionKernels {
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
        ReferenceRotary.splitAndRotate(
                RotaryOperands.of(heads, sequences, "qkvTE", qkvTE, out, cosPD2, sinPD2, positionsT));
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
        ReferenceRotary.rotateBackAndJoin(
                RotaryOperands.of(heads, sequences, "dqkvTE", dqkvTE, gradient, cosPD2, sinPD2, positionsT));
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return true;
    }

    @Override
    public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        forEachQuery(shape, (sequence, head, query) -> forwardQuery(operands, sequence, head, query));
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
        AttentionOperands operands = AttentionOperands.of(shape, in, outputTHD, logSumExpBHS);
        CpuTensor dOutput = operands.outputGradient(outputGradientTHD);
        AttentionOperands.Inputs checked = operands.gradient(gradient);
        double[] dKey = new double[Math.toIntExact(checked.key().elements())];
        double[] dValue = new double[dKey.length];
        forEachQuery(
                shape,
                (sequence, head, query) ->
                        backwardQuery(operands, dOutput, sequence, head, query, checked.query(), dKey, dValue));
        for (int i = 0; i < dKey.length; i++) {
            checked.key().setDouble(i, dKey[i]);
            checked.value().setDouble(i, dValue[i]);
        }
    }

    @Override
    public void merge(
            Queue queue,
            AttentionShape shape,
            Tensor partTHD,
            Tensor partLogSumExpBHS,
            Tensor outputTHD,
            Tensor logSumExpBHS) {
        MergeOperands operands = MergeOperands.of(shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
        int dim = shape.heads().dim();
        for (long token = 0; token < operands.tokens(); token++) {
            for (int head = 0; head < shape.heads().query(); head++) {
                mergeQuery(
                        operands,
                        operands.logSumExpIndex(token, head),
                        (token * shape.heads().query() + head) * dim);
            }
        }
    }

    /**
     * @param first index of the first channel
     */
    private static void mergeQuery(MergeOperands operands, long query, long first) {
        double old = operands.logSumExp().getDouble(query);
        double further = operands.partLogSumExp().getDouble(query);
        boolean isFirst = old == Double.NEGATIVE_INFINITY;
        if (!isFirst && further == Double.NEGATIVE_INFINITY) {
            return;
        }
        double sum = isFirst ? further : Math.max(old, further) + Math.log1p(Math.exp(-Math.abs(old - further)));
        operands.logSumExp().setDouble(query, sum);
        for (long i = first; i < first + operands.shape().heads().dim(); i++) {
            double part = operands.part().getDouble(i);
            double joined = Math.exp(old - sum) * operands.output().getDouble(i) + Math.exp(further - sum) * part;
            operands.output().setDouble(i, isFirst ? part : joined);
        }
    }

    private static void forwardQuery(AttentionOperands operands, int sequence, int head, int query) {
        int dim = operands.shape().heads().dim();
        double[] scores = scores(operands, sequence, head, query);
        double max = Double.NEGATIVE_INFINITY;
        for (double score : scores) {
            max = Math.max(max, score);
        }
        double sum = 0;
        for (double score : scores) {
            sum += Math.exp(score - max);
        }
        double logSumExp = scores.length == 0 ? Double.NEGATIVE_INFINITY : max + Math.log(sum);
        int first = operands.firstKey(sequence, query);
        operands.logSumExp().setDouble(queryRow(operands.shape(), sequence, head, query), logSumExp);
        for (int d = 0; d < dim; d++) {
            double output = 0;
            for (int key = 0; key < scores.length; key++) {
                double value = operands.in()
                        .value()
                        .getDouble(keyRow(operands.shape(), sequence, head, first + key) * dim + d);
                output += Math.exp(scores[key] - logSumExp) * value;
            }
            operands.output().setDouble(operands.outputIndex(sequence, head, query) + d, output);
        }
    }

    private static void backwardQuery(
            AttentionOperands operands,
            CpuTensor dOutput,
            int sequence,
            int head,
            int query,
            CpuTensor dQuery,
            double[] dKey,
            double[] dValue) {
        int dim = operands.shape().heads().dim();
        AttentionOptions options = operands.shape().options();
        double scale = options.scale(operands.shape().heads());
        long outputAt = operands.outputIndex(sequence, head, query);
        long queryRow = queryRow(operands.shape(), sequence, head, query);
        double logSumExp = operands.logSumExp().getDouble(queryRow);
        double[] scores = scores(operands, sequence, head, query);
        double delta = dot(dOutput, outputAt, operands.output(), outputAt, dim);
        double[] sum = new double[dim];
        int first = operands.firstKey(sequence, query);
        for (int key = 0; key < scores.length; key++) {
            long keyAt = keyRow(operands.shape(), sequence, head, first + key) * dim;
            double p = Math.exp(scores[key] - logSumExp);
            double ds = p * (dot(dOutput, outputAt, operands.in().value(), keyAt, dim) - delta);
            if (options.softCap().isPresent()) {
                double capped = scores[key] / options.softCap().getAsDouble();
                ds *= 1 - capped * capped;
            }
            for (int d = 0; d < dim; d++) {
                int i = Math.toIntExact(keyAt + d);
                dValue[i] += p * dOutput.getDouble(outputAt + d);
                dKey[i] += scale * ds * operands.in().query().getDouble(queryRow * dim + d);
                sum[d] += scale * ds * operands.in().key().getDouble(keyAt + d);
            }
        }
        for (int d = 0; d < dim; d++) {
            dQuery.setDouble(queryRow * dim + d, sum[d]);
        }
    }

    /** The capped scores of the keys that a query sees: those before {@code query + causalOffset + 1}, of its document and window. */
    private static double[] scores(AttentionOperands operands, int sequence, int head, int query) {
        AttentionShape shape = operands.shape();
        int dim = shape.heads().dim();
        int first = operands.firstKey(sequence, query);
        int end = (int) Math.clamp((long) query + shape.causalOffset() + 1, 0L, shape.keyTokens());
        double[] scores = new double[Math.max(0, end - first)];
        long queryAt = queryRow(shape, sequence, head, query) * dim;
        for (int key = 0; key < scores.length; key++) {
            long keyAt = keyRow(shape, sequence, head, first + key) * dim;
            scores[key] = score(
                    shape, dot(operands.in().query(), queryAt, operands.in().key(), keyAt, dim));
        }
        return scores;
    }

    private static double score(AttentionShape shape, double product) {
        AttentionOptions options = shape.options();
        double score = options.scale().isPresent()
                ? product * options.scale().getAsDouble()
                : product / Math.sqrt(shape.heads().dim());
        if (options.softCap().isEmpty()) {
            return score;
        }
        double cap = options.softCap().getAsDouble();
        return cap * Math.tanh(score / cap);
    }

    private static double dot(CpuTensor a, long aFirst, CpuTensor b, long bFirst, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += a.getDouble(aFirst + i) * b.getDouble(bFirst + i);
        }
        return sum;
    }

    private static long queryRow(AttentionShape shape, int sequence, int head, int query) {
        return ((long) sequence * shape.heads().query() + head) * shape.queryTokens() + query;
    }

    /** The row of a key in the key/value head that a query head reads. */
    private static long keyRow(AttentionShape shape, int sequence, int head, int key) {
        long keyHead = (long) sequence * shape.heads().keyValue()
                + head / shape.heads().group();
        return keyHead * shape.keyTokens() + key;
    }

    @FunctionalInterface
    private interface QueryAction {
        void run(int sequence, int head, int query);
    }

    private static void forEachQuery(AttentionShape shape, QueryAction action) {
        for (int sequence = 0; sequence < shape.sequences(); sequence++) {
            for (int head = 0; head < shape.heads().query(); head++) {
                for (int query = 0; query < shape.queryTokens(); query++) {
                    action.run(sequence, head, query);
                }
            }
        }
    }
}
