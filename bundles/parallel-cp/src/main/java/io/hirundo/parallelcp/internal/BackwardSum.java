package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Accumulates dQ of a rank's queries, and dK and dV of any rank's keys. Probabilities follow from the log-sum-exp over all keys,
 * so the parts add up. Every part after the first needs memory for the gradients of one chunk.
 */
final class BackwardSum implements AutoCloseable {
    /**
     * The forward's inputs and outputs, and the output gradient; owned by the caller.
     *
     * @param outputGradientTHD [N s, H D], as {@code outputTHD}
     */
    record Given(Tensor outputGradientTHD, Tensor queryNHsD, Tensor outputTHD, Tensor logSumExpNHs) {}

    private final StepContext context;
    private final ChunkPairs chunkPairs;
    private final Given given;
    private final Tensor queryGradientNHsD;
    private final boolean[] begun = new boolean[BalancedContext.CHUNKS];
    private Tensor partOfQueryBHsD;
    private Tensor partOfKeyBGsD;
    private Tensor partOfValueBGsD;

    /**
     * @param queryGradientNHsD overwritten with dQ
     */
    BackwardSum(StepContext context, ChunkPairs chunkPairs, Given given, Tensor queryGradientNHsD) {
        this.context = context;
        this.chunkPairs = chunkPairs;
        this.given = given;
        this.queryGradientNHsD = queryGradientNHsD;
    }

    /** Adds the gradients from the keys of one rank. */
    void attend(int holder, KeyValue keys, KeyGradients keyGradients) {
        var kernels = context.device().kernels();
        for (ChunkPairs.Pair pair : chunkPairs.pairsWith(holder)) {
            int query = pair.query();
            KeyValue seen = keys.piece(pair.key(), chunkPairs.sequences());
            KeyValue seenGradient = keyGradients.piece(pair.key());
            Tensor queryGradient = chunkPairs.ofSequences(queryGradientNHsD, query);
            boolean addQuery = begun[query];
            boolean addKey = keyGradients.begin(pair.key());
            begun[query] = true;
            allocateParts(addQuery, addKey);
            kernels.attention()
                    .backward(
                            context.queue(),
                            pair.shape(),
                            chunkPairs.ofTokens(given.outputGradientTHD(), query),
                            new QueryKeyValue(
                                    chunkPairs.ofSequences(given.queryNHsD(), query), seen.keyNGsD(), seen.valueNGsD()),
                            chunkPairs.ofTokens(given.outputTHD(), query),
                            chunkPairs.ofSequences(given.logSumExpNHs(), query),
                            new QueryKeyValue(
                                    addQuery ? partOfQueryBHsD : queryGradient,
                                    addKey ? partOfKeyBGsD : seenGradient.keyNGsD(),
                                    addKey ? partOfValueBGsD : seenGradient.valueNGsD()));
            if (addQuery) {
                kernels.elementwise().add(context.queue(), partOfQueryBHsD, queryGradient);
            }
            if (addKey) {
                new KeyValue(partOfKeyBGsD, partOfValueBGsD)
                        .addTo(kernels.elementwise(), context.queue(), seenGradient);
            }
        }
    }

    @Override
    public void close() {
        for (Tensor part : new Tensor[] {partOfQueryBHsD, partOfKeyBGsD, partOfValueBGsD}) {
            if (part != null) {
                part.close();
            }
        }
    }

    private void allocateParts(boolean ofQuery, boolean ofKey) {
        long sequences = chunkPairs.sequences();
        var heads = chunkPairs.heads();
        if (ofQuery && partOfQueryBHsD == null) {
            partOfQueryBHsD = context.allocate(Shape.of(sequences, heads.query(), chunkPairs.tokens(), heads.dim()));
        }
        if (ofKey && partOfKeyBGsD == null) {
            Shape shape = Shape.of(sequences, heads.keyValue(), chunkPairs.tokens(), heads.dim());
            partOfKeyBGsD = context.allocate(shape);
            partOfValueBGsD = context.allocate(shape);
        }
    }
}
