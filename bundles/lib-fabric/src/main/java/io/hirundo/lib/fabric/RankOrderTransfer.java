package io.hirundo.lib.fabric;

import io.hirundo.device.Queue;
import io.hirundo.kernel.ElementwiseKernels;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.function.IntFunction;

/**
 * How one rank moves its share of a collective's data with its own device's kernels. A rank fetches the data that it needs. Sums are
 * accumulated in rank order, so each element's sum is the same wherever and whenever it is computed.
 *
 * @param calls the operands of all ranks, by place
 * @param place of the rank
 * @param scratch temporary memory of {@link #scratchElements}; null where that is negative
 */
public record RankOrderTransfer(ElementwiseKernels kernels, Queue queue, Call[] calls, int place, Tensor scratch) {
    /**
     * Elements of temporary memory that a sum needs, in {@link Signature#reductionType}; negative for none. Of two ranks each adds to its
     * own shard; an all-reduce sums in the operand of the first rank, unless that is too narrow.
     */
    public static long scratchElements(Signature signature, int ranks) {
        boolean narrow = signature.kind() == Collective.ALL_REDUCE && signature.dtype() != signature.reductionType();
        boolean needed = signature.kind() == Collective.REDUCE_SCATTER || narrow;
        return needed && ranks > 2 ? Math.ceilDiv(signature.elements(), (long) ranks) : -1;
    }

    /** The first half: everything except for an all-reduce, whose slices every rank needs. */
    public void move() {
        Call own = own();
        switch (own.signature().kind()) {
            case ALL_REDUCE -> reduceSlice(own.signature());
            case REDUCE_SCATTER -> reduceTo(own.output());
            case ALL_GATHER -> {
                for (int from = 0; from < ranks(); from++) {
                    copy(of(from).input(), part(own.output(), from), true);
                }
            }
            case ALL_TO_ALL -> {
                for (int from = 0; from < ranks(); from++) {
                    copy(part(of(from).input(), place), part(own.output(), from), true);
                }
            }
            case BROADCAST ->
                copy(
                        of(own.signature().root()).output(),
                        own.output(),
                        own.signature().root() != place);
            case RECEIVE -> copy(of(0).input(), own.output(), true);
            case SEND, BARRIER -> {}
        }
    }

    /** The second half, after every rank's first: copies what was reduced to all ranks. */
    public void spread() {
        if (own().signature().kind() == Collective.ALL_REDUCE) {
            copy(of(0).output(), own().output(), place != 0);
        }
    }

    /**
     * Reduces this rank's slice into the operand of the first rank, which holds the first summand: no other rank touches that slice until
     * all have finished {@link #move}, and no memory is needed.
     */
    private void reduceSlice(Signature signature) {
        long first = signature.elements() * place / ranks();
        long count = signature.elements() * (place + 1) / ranks() - first;
        if (count == 0) {
            return;
        }
        Shape shape = Shape.of(count);
        Tensor into = of(0).output().view(first, shape);
        if (scratch != null) {
            sumByChunks(from -> of(from).output().view(first, shape), into);
            return;
        }
        for (int from = 1; from < ranks(); from++) {
            Tensor summand = of(from).output().view(first, shape);
            if (signature.reduction() == Reduction.SUM) {
                kernels.add(queue, summand, into);
            } else {
                kernels.maximum(queue, summand, into);
            }
        }
    }

    /**
     * Sums this rank's part of all inputs. The shard may be this rank's own summand: of two ranks that is where the sum can begin, because
     * a sum of two does not depend on their order; of more, the sum of the summands before it needs a chunk.
     */
    private void reduceTo(Tensor shard) {
        if (ranks() == 2) {
            copy(part(own().input(), place), shard, true);
            if (shard.elements() > 0) {
                kernels.add(queue, part(of(1 - place).input(), place), shard);
            }
            return;
        }
        sumByChunks(from -> part(of(from).input(), place), shard);
    }

    /** Sums in the scratch memory, in its type. */
    private void sumByChunks(IntFunction<Tensor> summand, Tensor into) {
        long elements = into.elements();
        for (long first = 0; first < elements; first += scratch.elements()) {
            Shape shape = Shape.of(Math.min(scratch.elements(), elements - first));
            Tensor sum = scratch.view(0, shape);
            kernels.copy(queue, summand.apply(0).view(first, shape), sum);
            for (int from = 1; from < ranks(); from++) {
                kernels.add(queue, summand.apply(from).view(first, shape), sum);
            }
            kernels.copy(queue, sum, into.view(first, shape));
        }
    }

    private void copy(Tensor from, Tensor to, boolean needed) {
        if (needed && to.elements() > 0) {
            kernels.copy(queue, from, to);
        }
    }

    private Tensor part(Tensor whole, int index) {
        long count = whole.elements() / ranks();
        return whole.view(index * count, Shape.of(count));
    }

    private Call own() {
        return of(place);
    }

    private Call of(int other) {
        return calls[other];
    }

    private int ranks() {
        return calls.length;
    }
}
