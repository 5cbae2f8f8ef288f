package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * The output of a rank's queries, accumulated over the keys of one rank after the other. The first keys of a query write the
 * output directly; later ones need memory for the output of one chunk until it is merged by log-sum-exp.
 */
final class ForwardSum implements AutoCloseable {
    private final StepContext context;
    private final ChunkPairs chunkPairs;
    private final Tensor queryNHsD;
    private final Tensor outputTHD;
    private final Tensor logSumExpNHs;
    private final boolean[] begun = new boolean[BalancedContext.CHUNKS];
    private Tensor partTHD;
    private Tensor partLogSumExpBHs;

    /** The tensors stay the caller's; {@code outputTHD} and {@code logSumExpNHs} are overwritten. */
    ForwardSum(StepContext context, ChunkPairs chunkPairs, Tensor queryNHsD, Tensor outputTHD, Tensor logSumExpNHs) {
        this.context = context;
        this.chunkPairs = chunkPairs;
        this.queryNHsD = queryNHsD;
        this.outputTHD = outputTHD;
        this.logSumExpNHs = logSumExpNHs;
    }

    /** Adds attention over the keys of one rank. */
    void attend(int holder, KeyValue keys) {
        var kernels = context.device().kernels().attention();
        for (ChunkPairs.Pair pair : chunkPairs.pairsWith(holder)) {
            int query = pair.query();
            KeyValue seen = keys.piece(pair.key(), chunkPairs.sequences());
            var in = new QueryKeyValue(chunkPairs.ofSequences(queryNHsD, query), seen.keyNGsD(), seen.valueNGsD());
            Tensor output = chunkPairs.ofTokens(outputTHD, query);
            Tensor logSumExp = chunkPairs.ofSequences(logSumExpNHs, query);
            if (begun[query]) {
                allocatePart();
                kernels.forward(context.queue(), pair.shape(), in, partTHD, partLogSumExpBHs);
                kernels.merge(context.queue(), pair.shape(), partTHD, partLogSumExpBHs, output, logSumExp);
            } else {
                kernels.forward(context.queue(), pair.shape(), in, output, logSumExp);
                begun[query] = true;
            }
        }
    }

    @Override
    public void close() {
        if (partTHD != null) {
            partTHD.close();
        }
        if (partLogSumExpBHs != null) {
            partLogSumExpBHs.close();
        }
    }

    private void allocatePart() {
        if (partTHD == null) {
            long sequences = chunkPairs.sequences();
            partTHD = context.allocate(
                    Shape.of(sequences * chunkPairs.tokens(), chunkPairs.heads().outputChannels()));
            partLogSumExpBHs = context.allocateStatistics(
                    Shape.of(sequences, chunkPairs.heads().query(), chunkPairs.tokens()));
        }
    }
}
