package io.hirundo.parallelcp.internal;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.parallel.ContextParallel;
import io.hirundo.parallelcp.internal.ThreadRanks.Rank;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** One rank's forward and backward on its pieces of a {@link WholeAttention}. */
final class RankAttention {
    /** A value of the truth's arrays and the rank's, side by side. */
    @FunctionalInterface
    interface Difference {
        void see(String what, double expected, double found);
    }

    private final WholeAttention whole;
    private final Rank rank;
    private final DType dtype;
    private final List<Integer> pieces;
    private final int pieceTokens;

    RankAttention(WholeAttention whole, Rank rank, DType dtype, ContextParallel context) {
        this.whole = whole;
        this.rank = rank;
        this.dtype = dtype;
        this.pieces = context.pieces(rank.group().rank(), rank.group().size());
        this.pieceTokens = whole.tokens / (pieces.size() * rank.group().size());
    }

    /** Shows all results next to the truth. */
    void run(ContextParallel context, Difference difference) {
        int query = whole.heads.query();
        int keyValue = whole.heads.keyValue();
        var in = new QueryKeyValue(
                headMajor(whole.query, query), headMajor(whole.key, keyValue), headMajor(whole.value, keyValue));
        var gradient = new QueryKeyValue(garbage(query), garbage(keyValue), garbage(keyValue));
        Tensor outputGradient = tokenMajor(whole.outputGradient);
        Tensor output = tokenMajor(new double[whole.output.length]);
        Tensor logSumExp =
                rank.device().allocate(MemoryCategory.ACTIVATIONS, Shape.of(rows(), query, pieceTokens), dtype);
        var batch = new MicroBatch(
                whole.sequences, 2 * pieceTokens, pieces.size(), null, null, null, null, documentStarts());
        var step = new TestContext(rank.device(), rank.queue(), batch, dtype);
        var core = context.attention(rank.group(), whole.heads, whole.options);
        core.forward(step, in, output, logSumExp);
        core.backward(step, outputGradient, in, output, logSumExp, gradient);

        int dim = whole.heads.dim();
        for (int row = 0; row < rows(); row++) {
            for (int token = 0; token < pieceTokens; token++) {
                for (int head = 0; head < query; head++) {
                    long statistic = ((long) row * query + head) * pieceTokens + token;
                    difference.see(
                            "logSumExp",
                            whole.logSumExp[wholeToken(row, token) * query + head],
                            at(logSumExp, statistic));
                    for (int d = 0; d < dim; d++) {
                        int expected = (wholeToken(row, token) * query + head) * dim + d;
                        int joined = ((row * pieceTokens + token) * query + head) * dim + d;
                        difference.see("output", whole.output[expected], at(output, joined));
                        difference.see(
                                "query", whole.queryGradient[expected], at(gradient.queryBHSD(), statistic * dim + d));
                    }
                }
                for (int head = 0; head < keyValue; head++) {
                    for (int d = 0; d < dim; d++) {
                        int expected = (wholeToken(row, token) * keyValue + head) * dim + d;
                        long found = (((long) row * keyValue + head) * pieceTokens + token) * dim + d;
                        difference.see("key", whole.keyGradient[expected], at(gradient.keyBGSD(), found));
                        difference.see("value", whole.valueGradient[expected], at(gradient.valueBGSD(), found));
                    }
                }
            }
        }
    }

    /** None where all sequences are one document. */
    private Optional<Tensor> documentStarts() {
        if (Arrays.stream(whole.documentStarts).allMatch(start -> start == 0)) {
            return Optional.empty();
        }
        var starts = (CpuTensor)
                rank.device().allocate(MemoryCategory.WORKSPACE, Shape.of((long) rows() * pieceTokens), DType.INT32);
        for (int i = 0; i < starts.elements(); i++) {
            starts.setDouble(i, whole.documentStarts[wholeToken(i / pieceTokens, i % pieceTokens)]);
        }
        return Optional.of(starts);
    }

    private int rows() {
        return pieces.size() * whole.sequences;
    }

    /** A token of a row of this rank, in the whole batch: rows are the first pieces of all sequences, then the second. */
    private int wholeToken(int row, int token) {
        return row % whole.sequences * whole.tokens + pieces.get(row / whole.sequences) * pieceTokens + token;
    }

    private CpuTensor headMajor(double[] values, int heads) {
        CpuTensor tensor = garbage(heads);
        int dim = whole.heads.dim();
        for (int i = 0; i < tensor.elements(); i++) {
            int token = i / dim % pieceTokens;
            int head = i / dim / pieceTokens % heads;
            tensor.setDouble(
                    i, values[(wholeToken(i / dim / pieceTokens / heads, token) * heads + head) * dim + i % dim]);
        }
        return tensor;
    }

    private CpuTensor garbage(int heads) {
        Shape shape = Shape.of(rows(), heads, pieceTokens, whole.heads.dim());
        var tensor = (CpuTensor) rank.device().allocate(MemoryCategory.ACTIVATIONS, shape, dtype);
        for (int i = 0; i < tensor.elements(); i++) {
            tensor.setDouble(i, Double.NaN);
        }
        return tensor;
    }

    private CpuTensor tokenMajor(double[] values) {
        int channels = (int) whole.heads.outputChannels();
        Shape shape = Shape.of((long) rows() * pieceTokens, channels);
        var tensor = (CpuTensor) rank.device().allocate(MemoryCategory.ACTIVATIONS, shape, dtype);
        for (int i = 0; i < tensor.elements(); i++) {
            int token = i / channels;
            tensor.setDouble(i, values[wholeToken(token / pieceTokens, token % pieceTokens) * channels + i % channels]);
        }
        return tensor;
    }

    private static double at(Tensor tensor, long index) {
        return ((CpuTensor) tensor).getDouble(index);
    }
}
