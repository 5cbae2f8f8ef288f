package io.hirundo.paralleltp.internal;

import io.hirundo.model.LocalMatrix;
import io.hirundo.model.PackedMatrix;
import io.hirundo.model.StepContext;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.Operand;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/**
 * A matrix whose operands come from the residual rows of all ranks: packed where the precision can do that for the product that
 * they come for, else as values.
 *
 * @param packs whether anything is to travel packed
 */
record GatheredMatrix(LocalMatrix matrix, ResidualStream stream, boolean packs) {
  /** A weight gradient, one of whose operands is on its way. */
  @FunctionalInterface
  interface WeightGradient {
    /** Multiplies, and gives the memory of what came back. */
    void with(Tensor localOperand);
  }

  /** {@code y = x wᵀ} of the rows of all ranks. */
  void forward(StepContext context, Tensor xRK, Tensor yTN) {
    packed(Operand.INPUT, Contraction.FEATURES, xRK)
        .ifPresentOrElse(
            packed ->
                stream
                    .multiply(
                        context,
                        Shipment.packed(context, stream, packed, Operand.INPUT, Contraction.FEATURES, xRK),
                        packed::forward,
                        yTN)
                    .close(),
            () -> stream.multiply(context, Shipment.of(context, stream, xRK), matrix::forward, yTN).close());
  }

  /** {@code dx = dy w} of the rows of all ranks. */
  void inputGradient(StepContext context, Tensor dyRN, Tensor dxTK) {
    packed(Operand.OUTPUT_GRADIENT, Contraction.FEATURES, dyRN)
        .ifPresentOrElse(
            packed ->
                stream
                    .multiply(
                        context,
                        Shipment.packed(context, stream, packed, Operand.OUTPUT_GRADIENT, Contraction.FEATURES, dyRN),
                        packed::inputGradient,
                        dxTK)
                    .close(),
            () -> stream.multiply(context, Shipment.of(context, stream, dyRN), matrix::inputGradient, dxTK).close());
  }

  /** Begins to fetch the inputs of all ranks for {@code dw += dyᵀ x}. */
  WeightGradient gatherInput(StepContext context, Tensor xRK) {
    var packed = packed(Operand.INPUT, Contraction.TOKENS, xRK);
    if (packed.isEmpty()) {
      return ended(stream.gather(context, xRK), (x, dyTN) -> matrix.weightGradient(context.queue(), dyTN, x));
    }
    var shipment = Shipment.packed(context, stream, packed.get(), Operand.INPUT, Contraction.TOKENS, xRK);
    return ended(
        stream.gather(context, shipment), (x, dyTN) -> packed.get().weightGradient(context.queue(), dyTN, x));
  }

  /** Begins to fetch the output gradients of all ranks for {@code dw += dyᵀ x}. */
  WeightGradient gatherOutputGradient(StepContext context, Tensor dyRN) {
    var packed = packed(Operand.OUTPUT_GRADIENT, Contraction.TOKENS, dyRN);
    if (packed.isEmpty()) {
      return ended(stream.gather(context, dyRN), (dy, xTK) -> matrix.weightGradient(context.queue(), dy, xTK));
    }
    var shipment = Shipment.packed(context, stream, packed.get(), Operand.OUTPUT_GRADIENT, Contraction.TOKENS, dyRN);
    return ended(
        stream.gather(context, shipment), (dy, xTK) -> packed.get().weightGradient(context.queue(), dy, xTK));
  }

  @FunctionalInterface
  private interface Product<T> {
    void multiply(T gathered, Tensor localOperand);
  }

  private static <T> WeightGradient ended(Gathering<T> gathering, Product<T> product) {
    return localOperand -> {
      product.multiply(gathering.whole(), localOperand);
      gathering.close();
    };
  }

  private Optional<PackedMatrix> packed(Operand operand, Contraction over, Tensor rows) {
    return packs && stream.shards() > 1
        ? matrix.packed().filter(packed -> packed.products().packs(operand, over, rows.shape().dim(0)))
        : Optional.empty();
  }
}
