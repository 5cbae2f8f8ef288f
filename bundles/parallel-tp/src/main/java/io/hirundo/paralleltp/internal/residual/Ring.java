package io.hirundo.paralleltp.internal.residual;

import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * An all-gather around a ring of ranks, in which each shard is multiplied while it is passed on
 * and the next one arrives (Wang et al. 2023, doi 10.1145/3567955.3567959). Own rows are multiplied where they are.
 */
final class Ring<T> implements Gathering<T> {
    private final StepContext context;
    private final ProcessGroup group;
    private final GatherBuffers<T> buffers;
    private final List<List<Pending>> received = new ArrayList<>();
    private final List<Pending> sent = new ArrayList<>();
    private boolean ownRowsAreThere;

    /**
     * Gets ready to receive.
     *
     * @param buffers taken over
     */
    Ring(StepContext context, ProcessGroup group, GatherBuffers<T> buffers) {
        this.context = context;
        this.group = group;
        this.buffers = buffers;
        this.ownRowsAreThere = buffers.isInPlace();
        for (int step = 1; step < group.size(); step++) {
            var tensors = new ArrayList<Pending>();
            for (Tensor tensor : share(ownerAt(step))) {
                tensors.add(group.receive(context.queue(), tensor, neighbour(-1)));
            }
            received.add(tensors);
        }
    }

    /** Multiplies, shard after shard, from this rank's on backwards. */
    void multiply(RowGemm<T> product, Tensor yTN) {
        List<Tensor> rows = buffers.own();
        for (int step = 0; step < group.size(); step++) {
            if (step > 0) {
                received.get(step - 1).forEach(pending -> context.queue().await(pending.event()));
                rows = share(ownerAt(step));
            }
            if (step < group.size() - 1) {
                rows.forEach(tensor -> sent.add(group.send(context.queue(), tensor, neighbour(1))));
            }
            long count = yTN.shape().dim(0) / group.size();
            product.multiply(context.queue(), buffers.asOperand().apply(rows), yTN.rows(ownerAt(step) * count, count));
        }
        sent.forEach(pending -> context.queue().await(pending.event()));
    }

    @Override
    public T whole() {
        if (!ownRowsAreThere) {
            List<Tensor> place = share(group.rank());
            for (int i = 0; i < place.size(); i++) {
                context.device()
                        .kernels()
                        .elementwise()
                        .copy(context.queue(), buffers.own().get(i), place.get(i));
            }
            ownRowsAreThere = true;
        }
        return buffers.operand();
    }

    @Override
    public void close() {
        buffers.close();
    }

    /** Whose rows are at hand at a step. */
    private int ownerAt(int step) {
        return neighbour(-step);
    }

    private int neighbour(int distance) {
        return Math.floorMod(group.rank() + distance, group.size());
    }

    private List<Tensor> share(int owner) {
        return buffers.shardOf(owner, group.size());
    }
}
