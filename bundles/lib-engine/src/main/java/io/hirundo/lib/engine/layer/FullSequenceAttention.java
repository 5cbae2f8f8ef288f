package io.hirundo.lib.engine.layer;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Tensor;

/** Attention without context parallelism: each sequence is complete on this rank. */
public record FullSequenceAttention(Heads heads, AttentionOptions options) implements AttentionCore {
    @Override
    public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        context.device().kernels().attention().forward(context.queue(), shape(context), in, outputTHD, logSumExpBHS);
    }

    @Override
    public void backward(
            StepContext context,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        context.device()
                .kernels()
                .attention()
                .backward(context.queue(), shape(context), outputGradientTHD, in, outputTHD, logSumExpBHS, gradient);
    }

    private AttentionShape shape(StepContext context) {
        var shape = AttentionShape.causal(
                        context.batch().sequences(), context.batch().sequenceTokens(), heads)
                .with(options);
        return context.batch()
                .documentStartsT()
                .map(starts -> shape.within(new DocumentBounds(starts, 0)))
                .orElse(shape);
    }
}
