package io.hirundo.paralleltp.internal.residual;

import io.hirundo.model.layer.StepContext;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * How the rows of the residual stream lie on the ranks, and how products begin and end there. Suffixes as in {@code
 * io.hirundo.kernel.Kernels}, and R for the residual rows of this rank.
 *
 * <p>Nothing here gives memory back when a collective fails: messages may still be writing to it. The device does, when the
 * rank ends.
 */
public interface ResidualStream {
    /** How many shards the tokens are cut into, one for each rank; 1 where every rank has all rows. */
    int shards();

    /** Which of the shards this rank has. */
    int shard();

    /** Parts of a GEMM, so that the reduction of one runs during the GEMM of the next. */
    int splits();

    /** Begins to gather the rows of all ranks. Closes the buffers with its result. */
    <T> Gathering<T> gather(StepContext context, GatherBuffers<T> buffers);

    /** Begins to fetch the rows of all ranks. */
    default Gathering<Tensor> gather(StepContext context, Tensor xRK) {
        return gather(context, GatherBuffers.of(context, this, xRK));
    }

    /**
     * Multiplies the rows of all ranks. Closes the buffers with its result.
     *
     * @param yTN receives the result of the GEMM
     * @return the gathered rows, for another GEMM; the caller closes them
     */
    <T> Gathering<T> multiply(StepContext context, GatherBuffers<T> buffers, RowGemm<T> product, Tensor yTN);

    /** Makes ready to sum up what the ranks find for the given rows. */
    PartialSums sums(StepContext context, Tensor yRN);

    /**
     * The product of all rows, summed over the ranks.
     *
     * @return [R, columns], the caller's
     */
    default Tensor multiplyAndSum(StepContext context, Tensor xTK, RowGemm<Tensor> product, long columns) {
        long rows = xTK.shape().dim(0) / shards();
        Tensor yRN = context.allocate(Shape.of(rows, columns));
        List<PartialSums> begun = new ArrayList<>();
        for (int split = 0; split < splits(); split++) {
            long first = rows * split / splits();
            long count = rows * (split + 1) / splits() - first;
            if (count > 0) {
                PartialSums sums = sums(context, yRN.rows(first, count));
                multiplyShards(context, xTK, first, count, product, sums.terms());
                sums.begin();
                begun.add(sums);
            }
        }
        begun.forEach(PartialSums::finish);
        return yRN;
    }

    private void multiplyShards(
            StepContext context, Tensor xTK, long first, long count, RowGemm<Tensor> product, Tensor terms) {
        long rows = xTK.shape().dim(0) / shards();
        if (count == rows) {
            product.multiply(context.queue(), xTK, terms);
            return;
        }
        for (int shard = 0; shard < shards(); shard++) {
            product.multiply(context.queue(), xTK.rows(shard * rows + first, count), terms.rows(shard * count, count));
        }
    }
}
