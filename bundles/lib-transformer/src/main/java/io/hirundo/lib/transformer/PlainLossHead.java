package io.hirundo.lib.transformer;

import io.hirundo.model.layer.LossHeadLayer;
import io.hirundo.model.layer.MicroBatch;
import io.hirundo.model.layer.StepContext;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.Optional;

/**
 * Output projection and cross-entropy with the full vocabulary on one rank. Only one chunk of tokens has logits in memory at a time, and
 * the gradient overwrites the logits, as in Liger Kernel (Hsu et al. 2024, arXiv 2410.10989).
 */
record PlainLossHead(LocalMatrix matrix, long vocabulary, Optional<LogitCap> cap) implements LossHeadLayer {
    @Override
    public List<Parameter> parameters() {
        return List.of(matrix.weight());
    }

    @Override
    public void forward(StepContext context, Tensor hTC) {
        inChunks(context, hTC, Optional.empty(), (first, count, hChunk, logits, buffer) -> {
            MicroBatch batch = context.batch();
            context.device()
                    .kernels()
                    .loss()
                    .crossEntropy(
                            context.queue(),
                            logits,
                            batch.labelsT().rows(first, count),
                            batch.lossWeightsT().rows(first, count),
                            context.lossSum());
        });
    }

    @Override
    public Tensor forwardBackward(StepContext context, Tensor hTC) {
        Tensor dhTC = context.allocate(hTC.shape());
        inChunks(context, hTC, cap, (first, count, hChunk, logits, buffer) -> {
            MicroBatch batch = context.batch();
            LogitCap.gradient(
                    cap,
                    context,
                    logits,
                    buffer,
                    capped -> context.device()
                            .kernels()
                            .loss()
                            .crossEntropyWithGradient(
                                    context.queue(),
                                    capped,
                                    batch.labelsT().rows(first, count),
                                    batch.lossWeightsT().rows(first, count),
                                    context.gradientScale(),
                                    context.lossSum()));
            matrix.bothGradients(context.queue(), logits, hChunk, dhTC.rows(first, count));
        });
        return dhTC;
    }

    @Override
    public Tensor logits(StepContext context, Tensor hTC) {
        Tensor logitsTV = context.allocate(Shape.of(hTC.shape().dim(0), vocabulary));
        matrix.forward(context.queue(), hTC, logitsTV);
        LogitCap.apply(cap, context, logitsTV);
        return logitsTV;
    }

    /** {@code buffered}: the cap, if the work computes a gradient. */
    private void inChunks(StepContext context, Tensor hTC, Optional<LogitCap> buffered, ChunkWork work) {
        long tokens = hTC.shape().dim(0);
        long chunkTokens = Math.min(
                tokens,
                LogitChunks.tokens(
                        vocabulary, hTC.shape().dim(1), context.activationType().byteSize()));
        Shape shape = Shape.of(chunkTokens, vocabulary);
        try (Tensor chunk = context.allocate(shape);
                Tensor buffer = LogitCap.buffer(buffered, context, shape)) {
            for (long first = 0; first < tokens; first += chunkTokens) {
                long count = Math.min(chunkTokens, tokens - first);
                Tensor hChunk = hTC.rows(first, count);
                Tensor logits = chunk.rows(0, count);
                matrix.forward(context.queue(), hChunk, logits);
                LogitCap.apply(cap, context, logits);
                work.accept(first, count, hChunk, logits, buffer);
            }
        }
    }

    /** Work on a chunk of tokens, with the buffer of the cap. */
    @FunctionalInterface
    private interface ChunkWork {
        void accept(long first, long count, Tensor hChunk, Tensor logits, Tensor buffer);
    }
}
