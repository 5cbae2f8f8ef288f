package __package__;

import io.hirundo.device.Queue;
import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.AttentionShape;
import io.hirundo.kernel.attention.DocumentBounds;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.kernel.attention.QueryKeyValue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.tensor.Tensor;
import java.util.List;

/**
 * Attention of this rank's queries over keys and values all-gathered from all ranks, those of one rank after the other. Shape suffixes: B
 * sequences, H query heads, G key/value heads, S tokens of a chunk, D channels of a head, T = B S.
 *
 * <p>Tensors are closed at the end of a pass, not after a failure: a collective may still read or write them, and the device closes them.
 *
 * @param options window, cap and scale
 */
record __Name__Attention(ProcessGroup group, Heads heads, AttentionOptions options, boolean overlap)
        implements AttentionCore {
    @Override
    public void forward(StepContext context, QueryKeyValue in, Tensor outputTHD, Tensor logSumExpBHS) {
        Queue queue = context.queue();
        var kernels = context.device().kernels().attention();
        var all = __Name__KeyValues.ofAllRanks(context.device(), in, group.size());
        List<Pending> gathers = gather(queue, in, all);
        kernels.forward(queue, shape(context, in, group.rank()), in, outputTHD, logSumExpBHS);
        await(queue, gathers);
        Tensor partTHD = context.allocate(outputTHD.shape());
        Tensor partLogSumExpBHS = context.allocateStatistics(logSumExpBHS.shape());
        for (int holder = group.rank() - 1; holder >= 0 && isSeen(in, holder); holder--) {
            AttentionShape shape = shape(context, in, holder);
            kernels.forward(queue, shape, all.with(in.queryBHSD(), holder), partTHD, partLogSumExpBHS);
            kernels.merge(queue, shape, partTHD, partLogSumExpBHS, outputTHD, logSumExpBHS);
        }
        partTHD.close();
        partLogSumExpBHS.close();
        all.close();
    }

    /** Probabilities follow from the log-sum-exp over all keys, so gradients of parts add up. */
    @Override
    public void backward(
            StepContext context,
            Tensor outputGradientTHD,
            QueryKeyValue in,
            Tensor outputTHD,
            Tensor logSumExpBHS,
            QueryKeyValue gradient) {
        Queue queue = context.queue();
        var kernels = context.device().kernels();
        var all = __Name__KeyValues.ofAllRanks(context.device(), in, group.size());
        List<Pending> gathers = gather(queue, in, all);
        var gradients = __Name__KeyValues.ofAllRanks(context.device(), in, group.size());
        kernels.elementwise().fill(queue, gradients.keyNGSD(), 0);
        kernels.elementwise().fill(queue, gradients.valueNGSD(), 0);
        kernels.attention()
                .backward(
                        queue,
                        shape(context, in, group.rank()),
                        outputGradientTHD,
                        in,
                        outputTHD,
                        logSumExpBHS,
                        gradients.with(gradient.queryBHSD(), group.rank()));
        await(queue, gathers);
        Tensor partBHSD = context.allocate(in.queryBHSD().shape());
        for (int holder = group.rank() - 1; holder >= 0 && isSeen(in, holder); holder--) {
            kernels.attention()
                    .backward(
                            queue,
                            shape(context, in, holder),
                            outputGradientTHD,
                            all.with(in.queryBHSD(), holder),
                            outputTHD,
                            logSumExpBHS,
                            gradients.with(partBHSD, holder));
            kernels.elementwise().add(queue, partBHSD, gradient.queryBHSD());
        }
        partBHSD.close();
        all.close();
        await(
                queue,
                List.of(
                        group.reduceScatter(queue, gradients.keyNGSD(), gradient.keyBGSD()),
                        group.reduceScatter(queue, gradients.valueNGSD(), gradient.valueBGSD())));
        gradients.close();
    }

    private List<Pending> gather(Queue queue, QueryKeyValue in, __Name__KeyValues all) {
        List<Pending> gathers = List.of(
                group.allGather(queue, in.keyBGSD(), all.keyNGSD()),
                group.allGather(queue, in.valueBGSD(), all.valueNGSD()));
        if (!overlap) {
            await(queue, gathers);
        }
        return gathers;
    }

    /** The host does not wait: later work of the queue does. */
    private static void await(Queue queue, List<Pending> transfers) {
        transfers.forEach(transfer -> queue.await(transfer.event()));
    }

    /** Whether the first query of this rank sees the last key of an earlier one. */
    private boolean isSeen(QueryKeyValue in, int holder) {
        long distance = (long) (group.rank() - holder - 1) * tokens(in) + 1;
        return options.window().isEmpty() || distance < options.window().getAsInt();
    }

    /** Of this rank's queries and another rank's keys, or its own: the mask depends on how far apart they are. */
    private AttentionShape shape(StepContext context, QueryKeyValue in, int holder) {
        int tokens = tokens(in);
        int sequences = Math.toIntExact(in.queryBHSD().shape().dim(0));
        var shape =
                new AttentionShape(sequences, tokens, tokens, heads, (group.rank() - holder) * tokens).with(options);
        return context.batch()
                .documentStartsT()
                .map(starts -> shape.within(new DocumentBounds(starts, holder * tokens)))
                .orElse(shape);
    }

    private static int tokens(QueryKeyValue in) {
        return Math.toIntExact(in.queryBHSD().shape().dim(2));
    }
}
