package io.hirundo.paralleltp.internal.layer;

import io.hirundo.device.Queue;
import io.hirundo.model.layer.StepContext;
import io.hirundo.parallel.LocalMatrix;
import io.hirundo.parallel.PackedMatrix;
import io.hirundo.paralleltp.internal.residual.GatherBuffers;
import io.hirundo.paralleltp.internal.residual.Gathering;
import io.hirundo.paralleltp.internal.residual.ResidualStream;
import io.hirundo.paralleltp.internal.residual.RowGemm;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.GradientPair;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.function.Function;

/**
 * A matrix whose operands come from the residual rows of all ranks: packed where the precision can do that for the product that
 * they come for, else as values.
 *
 * @param packs whether anything is to travel packed
 */
record GatheredMatrix(LocalMatrix matrix, ResidualStream stream, boolean packs) {
    /** A weight gradient, one of whose operands is on its way. {@code T}: in what form the other one is there. */
    @FunctionalInterface
    interface WeightGradient<T> {
        /** Multiplies, and gives the memory of what came back. */
        void with(T localOperand);
    }

    /** {@code y = x wᵀ} of the rows of all ranks. */
    void forward(StepContext context, Tensor xRK, Tensor yTN) {
        multiply(context, Operand.INPUT, xRK, packed -> packed::forward, matrix::forward, yTN);
    }

    /** {@code dx = dy w} of the rows of all ranks. */
    void inputGradient(StepContext context, Tensor dyRN, Tensor dxTK) {
        multiply(context, Operand.OUTPUT_GRADIENT, dyRN, packed -> packed::inputGradient, matrix::inputGradient, dxTK);
    }

    /** Begins to fetch the inputs of all ranks for {@code dw += dyᵀ x}. */
    WeightGradient<Tensor> gatherInput(StepContext context, Tensor xRK) {
        Queue queue = context.queue();
        return gather(
                context,
                Operand.INPUT,
                xRK,
                packed -> (x, dyTN) -> packed.weightGradient(queue, dyTN, x),
                (x, dyTN) -> matrix.weightGradient(queue, dyTN, x));
    }

    /** The same, where both gradients are found from one dy. */
    WeightGradient<GradientPair> gatherInputOfBoth(StepContext context, Tensor xRK) {
        return gather(
                context,
                Operand.INPUT,
                xRK,
                packed -> (x, gradients) -> gradients.weight(x),
                (x, gradients) -> gradients.weight(x));
    }

    /** Begins to fetch the output gradients of all ranks for {@code dw += dyᵀ x}. */
    WeightGradient<Tensor> gatherOutputGradient(StepContext context, Tensor dyRN) {
        Queue queue = context.queue();
        return gather(
                context,
                Operand.OUTPUT_GRADIENT,
                dyRN,
                packed -> (dy, xTK) -> packed.weightGradient(queue, dy, xTK),
                (dy, xTK) -> matrix.weightGradient(queue, dy, xTK));
    }

    private void multiply(
            StepContext context,
            Operand operand,
            Tensor rows,
            Function<PackedMatrix, RowGemm<PackedOperand>> ofPacked,
            RowGemm<Tensor> ofValues,
            Tensor result) {
        var packed = packed(operand, Contraction.FEATURES, rows);
        Gathering<?> gathered = packed.isPresent()
                ? stream.multiply(
                        context,
                        GatherBuffers.packed(context, stream, packed.get(), operand, Contraction.FEATURES, rows),
                        ofPacked.apply(packed.get()),
                        result)
                : stream.multiply(context, GatherBuffers.of(context, stream, rows), ofValues, result);
        gathered.close();
    }

    private <T> WeightGradient<T> gather(
            StepContext context,
            Operand operand,
            Tensor rows,
            Function<PackedMatrix, Multiplication<PackedOperand, T>> ofPacked,
            Multiplication<Tensor, T> ofValues) {
        var packed = packed(operand, Contraction.TOKENS, rows);
        return packed.isPresent()
                ? ended(
                        stream.gather(
                                context,
                                GatherBuffers.packed(context, stream, packed.get(), operand, Contraction.TOKENS, rows)),
                        ofPacked.apply(packed.get()))
                : ended(stream.gather(context, rows), ofValues);
    }

    @FunctionalInterface
    private interface Multiplication<G, T> {
        void multiply(G gathered, T localOperand);
    }

    private static <G, T> WeightGradient<T> ended(Gathering<G> gathering, Multiplication<G, T> product) {
        return localOperand -> {
            product.multiply(gathering.whole(), localOperand);
            gathering.close();
        };
    }

    private Optional<PackedMatrix> packed(Operand operand, Contraction over, Tensor rows) {
        return packs && stream.shards() > 1
                ? matrix.packed()
                        .filter(packed -> packed.products()
                                .packs(operand, over, rows.shape().dim(0)))
                : Optional.empty();
    }
}
