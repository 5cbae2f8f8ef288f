package io.hirundo.parallelcp.internal;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Tensor;

/**
 * Ring attention (Liu et al. 2023, arXiv 2310.01889): in step t, rank r attends to the keys of rank r - t, sends them to the next
 * rank, and receives the keys of step t + 1 at the same time. In the backward, key gradients follow one step behind their keys.
 * Gradients from the keys' own rank are added on return, which saves their first transfer.
 */
final class RingAttention implements AttentionCore {
    private final ProcessGroup group;
    private final Heads heads;
    private final AttentionOptions options;
    private final boolean overlap;

    RingAttention(ProcessGroup group, Heads heads, AttentionOptions options, boolean overlap) {
        this.group = group;
        this.heads = heads;
        this.options = options;
        this.overlap = overlap;
    }

    @Override
    public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        ChunkPairs chunkPairs = ChunkPairs.of(context, group, heads, options, in);
        KeyValue own = KeyValue.of(in);
        try (var buffers = new Buffers(context.device(), own);
                var sum = new ForwardSum(context, chunkPairs, in.queryBHSD(), outputTHD, logSumExpBHS)) {
            KeyValue keys = own;
            for (int step = 0; step < group.size(); step++) {
                RingTransfer toNext = passOn(context, buffers, keys, step);
                sum.attend(chunkPairs.holder(step), keys);
                keys = arrived(context, buffers, toNext, keys, own);
            }
        }
    }

    @Override
    public void backward(
            StepContext context,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        ChunkPairs chunkPairs = ChunkPairs.of(context, group, heads, options, in);
        var given = new BackwardSum.Given(outputGradientTHD, in.queryBHSD(), outputTHD, logSumExpBHS);
        KeyValue own = KeyValue.of(in);
        KeyValue ownGradients = KeyValue.of(gradient);
        try (var buffers = new Buffers(context.device(), own);
                var sum = new BackwardSum(context, chunkPairs, given, gradient.queryBHSD())) {
            var home = new GradientRing(context, group, buffers, overlap);
            KeyValue keys = own;
            for (int step = 0; step < group.size(); step++) {
                RingTransfer toNext = passOn(context, buffers, keys, step);
                var found = new KeyGradients(step == 0 ? ownGradients : buffers.take(), chunkPairs.sequences());
                sum.attend(chunkPairs.holder(step), keys, found);
                if (step > 0) {
                    home.add(found);
                }
                keys = arrived(context, buffers, toNext, keys, own);
            }
            home.finish(ownGradients);
        }
    }

    /** Sends keys and receives the next ones; null in the last step. */
    private RingTransfer passOn(StepContext context, Buffers buffers, KeyValue keys, int step) {
        if (step == group.size() - 1) {
            return null;
        }
        RingTransfer transfer = RingTransfer.begin(group, context.queue(), keys, buffers.take());
        if (!overlap) {
            transfer.await(context.queue());
        }
        return transfer;
    }

    /** Waits for the keys of the next step; recycles those of this one. */
    private static KeyValue arrived(
            StepContext context, Buffers buffers, RingTransfer transfer, KeyValue keys, KeyValue own) {
        if (transfer != null) {
            transfer.await(context.queue());
        }
        if (keys != own) {
            buffers.giveBack(keys);
        }
        return transfer == null ? null : transfer.received();
    }
}
