package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionKernels;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.ArrayList;

/** Scalar attention with all options: scores of one query at a time. */
final class ScalarAttention implements AttentionKernels {
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
        ScalarRotary.of(heads, sequences, qkvTE, cosPD2, sinPD2, positionsT)
                .move(ScalarTensor.of("qkvTE", qkvTE), out, true);
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
        ScalarRotary.of(heads, sequences, dqkvTE, cosPD2, sinPD2, positionsT)
                .move(ScalarTensor.of("dqkvTE", dqkvTE), gradient, false);
    }

    @Override
    public boolean supports(AttentionOptions options) {
        return true;
    }

    @Override
    public void forward(Queue queue, AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        Call call = Call.of(shape, in, outputTHD, logSumExpBHS);
        for (Query query : call.queries()) {
            double[] scores = call.scores(query);
            double maximum = Double.NEGATIVE_INFINITY;
            double sum = 0;
            for (double score : scores) {
                maximum = Math.max(maximum, score);
            }
            for (double score : scores) {
                sum += Math.exp(score - maximum);
            }
            double logSumExp = scores.length == 0 ? Double.NEGATIVE_INFINITY : maximum + Math.log(sum);
            call.logSumExp.set(query.row, logSumExp);
            for (int d = 0; d < call.dim(); d++) {
                double output = 0;
                for (int key = 0; key < scores.length; key++) {
                    output += Math.exp(scores[key] - logSumExp) * call.value.get(query.keyAt(key, call.dim()) + d);
                }
                call.output.set(query.outputAt + d, output);
            }
        }
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
        Call call = Call.of(shape, in, outputTHD, logSumExpBHS);
        ScalarTensor dOutput = ScalarOperands.floating("outputGradientTHD", outputGradientTHD, call.output.elements());
        ScalarTensor dQuery =
                ScalarOperands.floating("gradient.queryBHSD", gradient.queryBHSD(), call.query.elements());
        var dKey = new double[(int) call.key.elements()];
        var dValue = new double[dKey.length];
        for (Query query : call.queries()) {
            double[] scores = call.scores(query);
            double delta = dot(dOutput, query.outputAt, call.output, query.outputAt, call.dim());
            var sum = new double[call.dim()];
            for (int key = 0; key < scores.length; key++) {
                long keyAt = query.keyAt(key, call.dim());
                double p = Math.exp(scores[key] - call.logSumExp.get(query.row));
                double ds = p
                        * (dot(dOutput, query.outputAt, call.value, keyAt, call.dim()) - delta)
                        * call.slope(scores[key]);
                for (int d = 0; d < call.dim(); d++) {
                    dValue[(int) keyAt + d] += p * dOutput.get(query.outputAt + d);
                    dKey[(int) keyAt + d] += ds * call.query.get(query.row * call.dim() + d);
                    sum[d] += ds * call.key.get(keyAt + d);
                }
            }
            for (int d = 0; d < call.dim(); d++) {
                dQuery.set(query.row * call.dim() + d, sum[d]);
            }
        }
        write(dKey, ScalarOperands.floating("gradient.keyBGSD", gradient.keyBGSD(), dKey.length));
        write(dValue, ScalarOperands.floating("gradient.valueBGSD", gradient.valueBGSD(), dValue.length));
    }

    private static void write(double[] values, ScalarTensor to) {
        for (int i = 0; i < values.length; i++) {
            to.set(i, values[i]);
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
        ScalarTensor old = ScalarTensor.of("logSumExpBHS", logSumExpBHS);
        ScalarTensor part = ScalarTensor.of("partLogSumExpBHS", partLogSumExpBHS);
        ScalarTensor output = ScalarTensor.of("outputTHD", outputTHD);
        ScalarTensor partOutput = ScalarOperands.floating("partTHD", partTHD, output.elements());
        for (Query query : Query.all(shape)) {
            double before = old.get(query.row);
            double further = part.get(query.row);
            if (further == Double.NEGATIVE_INFINITY && before != further) {
                continue;
            }
            boolean isFirst = before == Double.NEGATIVE_INFINITY;
            double sum =
                    isFirst ? further : Math.max(before, further) + Math.log1p(Math.exp(-Math.abs(before - further)));
            old.set(query.row, sum);
            for (long i = query.outputAt; i < query.outputAt + shape.heads().dim(); i++) {
                output.set(
                        i,
                        isFirst
                                ? partOutput.get(i)
                                : Math.exp(before - sum) * output.get(i) + Math.exp(further - sum) * partOutput.get(i));
            }
        }
    }

    private static double dot(ScalarTensor a, long aAt, ScalarTensor b, long bAt, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += a.get(aAt + i) * b.get(bAt + i);
        }
        return sum;
    }

    /** The operands of one call. */
    private record Call(
            AttentionShape shape,
            ScalarTensor query,
            ScalarTensor key,
            ScalarTensor value,
            ScalarTensor output,
            ScalarTensor logSumExp) {
        static Call of(AttentionShape shape, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
            Heads heads = shape.heads();
            long queries = (long) shape.sequences() * heads.query() * shape.queryTokens();
            long keys = (long) shape.sequences() * heads.keyValue() * shape.keyTokens();
            return new Call(
                    shape,
                    ScalarOperands.floating("queryBHSD", in.queryBHSD(), queries * heads.dim()),
                    ScalarOperands.floating("keyBGSD", in.keyBGSD(), keys * heads.dim()),
                    ScalarOperands.floating("valueBGSD", in.valueBGSD(), keys * heads.dim()),
                    ScalarOperands.floating("outputTHD", outputTHD, queries * heads.dim()),
                    ScalarOperands.floating("logSumExpBHS", logSumExpBHS, queries));
        }

        int dim() {
            return shape.heads().dim();
        }

        Iterable<Query> queries() {
            return Query.all(shape);
        }

        /** The capped scores of the keys that a query sees. */
        double[] scores(Query query) {
            AttentionOptions options = shape.options();
            var scores = new double[query.keys];
            for (int key = 0; key < scores.length; key++) {
                double score = options.scale(shape.heads())
                        * dot(this.query, query.row * dim(), this.key, query.keyAt(key, dim()), dim());
                scores[key] = options.softCap().isPresent()
                        ? capped(score, options.softCap().getAsDouble())
                        : score;
            }
            return scores;
        }

        private static double capped(double score, double cap) {
            return cap * Math.tanh(score / cap);
        }

        /** Derivative of a score by the product of query and key. */
        double slope(double score) {
            AttentionOptions options = shape.options();
            double scale = options.scale(shape.heads());
            if (options.softCap().isEmpty()) {
                return scale;
            }
            double tanh = score / options.softCap().getAsDouble();
            return scale * (1 - tanh * tanh);
        }
    }

    /**
     * One query of one head.
     *
     * @param row index in [B, H, S]
     * @param outputAt first element in [B S, H D]
     * @param firstKeyRow row of the first key that it sees, in [B, G, key tokens]
     * @param keys so many it sees
     */
    private record Query(long row, long outputAt, long firstKeyRow, int keys) {
        long keyAt(int key, int dim) {
            return (firstKeyRow + key) * dim;
        }

        static Iterable<Query> all(AttentionShape shape) {
            var all = new ArrayList<Query>();
            Heads heads = shape.heads();
            for (int sequence = 0; sequence < shape.sequences(); sequence++) {
                for (int head = 0; head < heads.query(); head++) {
                    for (int query = 0; query < shape.queryTokens(); query++) {
                        int first = Math.max(shape.firstInWindow(query), firstOfDocument(shape, sequence, query));
                        int end = (int) Math.clamp((long) query + shape.causalOffset() + 1, 0L, shape.keyTokens());
                        long keyHead = (long) sequence * heads.keyValue() + head / heads.group();
                        all.add(new Query(
                                ((long) sequence * heads.query() + head) * shape.queryTokens() + query,
                                (((long) sequence * shape.queryTokens() + query) * heads.query() + head) * heads.dim(),
                                keyHead * shape.keyTokens() + first,
                                Math.max(0, end - first)));
                    }
                }
            }
            return all;
        }

        private static int firstOfDocument(AttentionShape shape, int sequence, int query) {
            return shape.documents()
                    .map(documents -> (int) ScalarTensor.of("startsBS", documents.startsBS())
                                    .get((long) sequence * shape.queryTokens() + query)
                            - documents.firstKey())
                    .orElse(0);
        }
    }
}
