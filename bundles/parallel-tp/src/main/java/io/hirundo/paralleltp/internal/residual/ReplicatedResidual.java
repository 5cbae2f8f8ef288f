package io.hirundo.paralleltp.internal.residual;

import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;

/** Every rank holds all rows of the residual stream: nothing to gather, and sums go to all. */
public record ReplicatedResidual(ProcessGroup group, Overlap overlap) implements ResidualStream {
    @Override
    public int shards() {
        return 1;
    }

    @Override
    public int splits() {
        return overlap.splits();
    }

    @Override
    public int shard() {
        return 0;
    }

    @Override
    public <T> Gathering<T> gather(StepContext context, GatherBuffers<T> buffers) {
        return Gathering.of(buffers);
    }

    @Override
    public <T> Gathering<T> multiply(StepContext context, GatherBuffers<T> buffers, RowGemm<T> product, Tensor yTN) {
        product.multiply(context.queue(), buffers.operand(), yTN);
        return Gathering.of(buffers);
    }

    @Override
    public PartialSums sums(StepContext context, Tensor yRN) {
        return new InPlace(context, yRN);
    }

    private final class InPlace implements PartialSums {
        private final StepContext context;
        private final Tensor rows;
        private Pending pending;

        InPlace(StepContext context, Tensor rows) {
            this.context = context;
            this.rows = rows;
        }

        @Override
        public Tensor terms() {
            return rows;
        }

        @Override
        public void begin() {
            pending = group.allReduce(context.queue(), rows, Reduction.SUM);
        }

        @Override
        public void finish() {
            context.queue().await(pending.event());
        }
    }
}
