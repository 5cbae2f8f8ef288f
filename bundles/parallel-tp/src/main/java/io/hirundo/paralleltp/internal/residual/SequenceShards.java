package io.hirundo.paralleltp.internal.residual;

import io.hirundo.device.MemoryCategory;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Sequence parallelism (Korthikanti et al. 2022, arXiv 2205.05198): rank r holds the r-th stretch of the microbatch's tokens.
 * Products begin with an all-gather and end with a reduce-scatter.
 */
public record SequenceShards(ProcessGroup group, Overlap overlap) implements ResidualStream {
    @Override
    public int shards() {
        return group.size();
    }

    @Override
    public int splits() {
        return overlap.splits();
    }

    @Override
    public int shard() {
        return group.rank();
    }

    @Override
    public <T> Gathering<T> gather(StepContext context, GatherBuffers<T> buffers) {
        var begun = new ArrayList<Pending>();
        for (int i = 0; i < buffers.own().size(); i++) {
            begun.add(group.allGather(
                    context.queue(), buffers.own().get(i), buffers.gathered().get(i)));
        }
        return new Gathered<>(context, buffers, begun);
    }

    @Override
    public <T> Gathering<T> multiply(StepContext context, GatherBuffers<T> buffers, RowGemm<T> product, Tensor yTN) {
        if (overlap.ring()) {
            var ring = new Ring<>(context, group, buffers);
            ring.multiply(product, yTN);
            return ring;
        }
        Gathering<T> rows = gather(context, buffers);
        product.multiply(context.queue(), rows.whole(), yTN);
        return rows;
    }

    @Override
    public PartialSums sums(StepContext context, Tensor yRN) {
        Shape shape = yRN.shape();
        return new Scattered(
                context,
                yRN,
                context.device()
                        .allocate(
                                MemoryCategory.COMMUNICATION,
                                Shape.of(shards() * shape.dim(0), shape.dim(1)),
                                yRN.dtype()));
    }

    private record Gathered<T>(StepContext context, GatherBuffers<T> buffers, List<Pending> begun)
            implements Gathering<T> {
        @Override
        public T whole() {
            await();
            return buffers.operand();
        }

        @Override
        public void close() {
            await();
            buffers.close();
        }

        private void await() {
            begun.forEach(pending -> context.queue().await(pending.event()));
        }
    }

    private final class Scattered implements PartialSums {
        private final StepContext context;
        private final Tensor shard;
        private final Tensor terms;
        private Pending pending;

        Scattered(StepContext context, Tensor shard, Tensor terms) {
            this.context = context;
            this.shard = shard;
            this.terms = terms;
        }

        @Override
        public Tensor terms() {
            return terms;
        }

        @Override
        public void begin() {
            pending = group.reduceScatter(context.queue(), terms, shard);
        }

        @Override
        public void finish() {
            context.queue().await(pending.event());
            terms.close();
        }
    }
}
