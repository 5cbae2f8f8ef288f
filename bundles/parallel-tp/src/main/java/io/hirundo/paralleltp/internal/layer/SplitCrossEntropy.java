package io.hirundo.paralleltp.internal.layer;

import io.hirundo.kernel.LossKernels;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;

/**
 * Cross-entropy of a chunk of tokens whose logits are split over the ranks: two small messages, the largest logit of each
 * token and the sums, and every rank has the whole loss.
 *
 * @param firstToken of this rank's columns
 */
record SplitCrossEntropy(StepContext context, ProcessGroup group, int firstToken, TokenShards tokens) {
    /** Adds the loss to the context's sum. With {@code gradient}, the logits are replaced by their gradient. */
    void run(Tensor logitsTV, boolean gradient) {
        LossKernels kernels = context.device().kernels().loss();
        MicroBatch batch = context.batch();
        Tensor maximumT = context.allocateStatistics(Shape.of(tokens.tokens()));
        kernels.maximum(context.queue(), logitsTV, maximumT);
        allReduce(maximumT, Reduction.MAX);
        Tensor sums = context.allocateStatistics(Shape.of(tokens.shards(), 2, tokens.count()));
        for (int shard = 0; shard < tokens.shards(); shard++) {
            kernels.partialSums(
                    context.queue(),
                    tokens.ofChunk(logitsTV, shard),
                    tokens.ofBatch(batch.labelsT(), shard),
                    firstToken,
                    tokens.ofChunk(maximumT, shard),
                    sums2T(sums, shard));
        }
        allReduce(sums, Reduction.SUM);
        for (int shard = 0; shard < tokens.shards(); shard++) {
            Tensor weightsT = tokens.ofBatch(batch.lossWeightsT(), shard);
            kernels.lossOfSums(context.queue(), sums2T(sums, shard), weightsT, context.lossSum());
            if (gradient) {
                kernels.gradientOfSums(
                        context.queue(),
                        tokens.ofChunk(logitsTV, shard),
                        tokens.ofBatch(batch.labelsT(), shard),
                        firstToken,
                        tokens.ofChunk(maximumT, shard),
                        sums2T(sums, shard),
                        weightsT,
                        context.gradientScale());
            }
        }
        sums.close();
        maximumT.close();
    }

    private Tensor sums2T(Tensor sums, int shard) {
        return sums.view(shard * 2L * tokens.count(), Shape.of(2, tokens.count()));
    }

    private void allReduce(Tensor inPlace, Reduction reduction) {
        context.queue()
                .await(group.allReduce(context.queue(), inPlace, reduction).event());
    }
}
