package io.hirundo.parallelcp.internal;

import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Attention over keys all-gathered from all context-parallel ranks (Llama 3, Grattafiori et al. 2024, arXiv 2407.21783, section
 * 3.3.2): few large collectives, but memory for the keys and values of full sequences. Attention to the rank's own keys overlaps
 * the all-gather.
 */
final class AllGatherAttention implements AttentionCore {
    private final ProcessGroup group;
    private final Heads heads;
    private final AttentionOptions options;
    private final boolean overlap;

    AllGatherAttention(ProcessGroup group, Heads heads, AttentionOptions options, boolean overlap) {
        this.group = group;
        this.heads = heads;
        this.options = options;
        this.overlap = overlap;
    }

    @Override
    public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        ChunkPairs chunkPairs = ChunkPairs.of(context, group, heads, options, in);
        try (var sum = new ForwardSum(context, chunkPairs, in.queryBHSD(), outputTHD, logSumExpBHS)) {
            KeyValue all = ofAllRanks(context, KeyValue.of(in));
            List<Pending> gathers = gather(context.queue(), KeyValue.of(in), all);
            sum.attend(group.rank(), KeyValue.of(in));
            await(context.queue(), gathers);
            for (int step = 1; step < group.size(); step++) {
                int holder = chunkPairs.holder(step);
                sum.attend(holder, all.ofRank(holder, chunkPairs.sequences()));
            }
            all.close();
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
        Queue queue = context.queue();
        var elementwise = context.device().kernels().elementwise();
        KeyValue gradients = ofAllRanks(context, KeyValue.of(gradient));
        try (var sum = new BackwardSum(context, chunkPairs, given, gradient.queryBHSD())) {
            KeyValue all = ofAllRanks(context, KeyValue.of(in));
            List<Pending> gathers = gather(queue, KeyValue.of(in), all);
            for (int step = 0; step < group.size(); step++) {
                int holder = chunkPairs.holder(step);
                KeyValue keys = step == 0 ? KeyValue.of(in) : all.ofRank(holder, chunkPairs.sequences());
                var found = new KeyGradients(gradients.ofRank(holder, chunkPairs.sequences()), chunkPairs.sequences());
                sum.attend(holder, keys, found);
                found.zeroUnseen(elementwise, queue);
                if (step == 0) {
                    await(queue, gathers);
                }
            }
            all.close();
        }
        await(
                queue,
                List.of(
                        group.reduceScatter(queue, gradients.keyNGsD(), gradient.keyBGSD()),
                        group.reduceScatter(queue, gradients.valueNGsD(), gradient.valueBGSD())));
        gradients.close();
    }

    private List<Pending> gather(Queue queue, KeyValue own, KeyValue all) {
        List<Pending> gathers = List.of(
                group.allGather(queue, own.keyNGsD(), all.keyNGsD()),
                group.allGather(queue, own.valueNGsD(), all.valueNGsD()));
        if (!overlap) {
            await(queue, gathers);
        }
        return gathers;
    }

    /**
     * Memory for the keys and values of every rank. Closed after success; after a failure it lives until the device closes, because
     * a collective may still read or write it.
     */
    private KeyValue ofAllRanks(StepContext context, KeyValue own) {
        var dims = new ArrayList<>(own.keyNGsD().shape().dims());
        dims.set(0, dims.getFirst() * group.size());
        return KeyValue.allocate(
                context.device(), new Shape(dims), own.keyNGsD().dtype());
    }

    private static void await(Queue queue, List<Pending> transfers) {
        transfers.forEach(transfer -> queue.await(transfer.event()));
    }
}
