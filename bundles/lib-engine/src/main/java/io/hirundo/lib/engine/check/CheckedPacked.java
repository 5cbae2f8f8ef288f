package io.hirundo.lib.engine.check;

import io.hirundo.device.Queue;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.Tensor;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * GEMMs on packed operands from other ranks, checked chunk by chunk. Only the rank that packs an operand knows its unquantized values, so
 * that rank measures the quantization error.
 *
 * @param weight the unquantized weight; null if only its quantized values were gathered
 */
record CheckedPacked(LinearMath math, PackedProducts packed, GemmObserver checks, Supplier<Tensor> weight)
        implements PackedProducts {
    @Override
    public boolean packs(Operand operand, Contraction over, long rows) {
        return packed.packs(operand, over, rows);
    }

    @Override
    public PackedOperand allocate(Operand operand, Contraction over, long rows, int pieces) {
        return packed.allocate(operand, over, rows, pieces);
    }

    @Override
    public void pack(Queue queue, Operand operand, Contraction over, Tensor xMK, PackedOperand piece) {
        packed.pack(queue, operand, over, xMK, piece);
        var product = over == Contraction.TOKENS
                ? LinearProduct.WEIGHT_GRADIENT
                : operand == Operand.INPUT ? LinearProduct.OUTPUT : LinearProduct.INPUT_GRADIENT;
        checks.rounded(
                product,
                new GemmObserver.Observed(
                        operand, () -> packed.multiplied(queue, over, piece).orElse(null), () -> xMK));
    }

    @Override
    public void forward(Queue queue, PackedOperand x, PreparedWeight prepared, Tensor yTN) {
        checks.attempt(LinearProduct.OUTPUT, yTN, () -> packed.forward(queue, x, prepared, yTN));
        checkPieces(queue, LinearProduct.OUTPUT, x, prepared, yTN);
    }

    @Override
    public void inputGradient(Queue queue, PackedOperand dy, PreparedWeight prepared, Tensor dxTK) {
        checks.attempt(LinearProduct.INPUT_GRADIENT, dxTK, () -> packed.inputGradient(queue, dy, prepared, dxTK));
        checkPieces(queue, LinearProduct.INPUT_GRADIENT, dy, prepared, dxTK);
    }

    private void checkPieces(
            Queue queue, LinearProduct product, PackedOperand operand, PreparedWeight prepared, Tensor result) {
        long rows = result.shape().dim(0) / operand.pieces();
        for (int piece = 0; piece < operand.pieces(); piece++) {
            PackedOperand one = operand.piece(piece);
            checks.product(
                    product,
                    () -> {},
                    new GemmObserver.Observed(
                            product.left(),
                            () -> packed.multiplied(queue, Contraction.FEATURES, one)
                                    .orElse(null),
                            () -> null),
                    CheckedMath.weight(math, weight, product, prepared),
                    result.rows(piece * rows, rows));
        }
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK) {
        checks.added(
                LinearProduct.WEIGHT_GRADIENT,
                () -> packed.weightGradient(queue, dyTN, x, dwNK),
                local(queue, Operand.OUTPUT_GRADIENT, dyTN),
                overTokens(math, queue, Operand.INPUT, x),
                dwNK);
    }

    @Override
    public void weightGradient(Queue queue, PackedOperand dy, Tensor xTK, Tensor dwNK) {
        checks.added(
                LinearProduct.WEIGHT_GRADIENT,
                () -> packed.weightGradient(queue, dy, xTK, dwNK),
                overTokens(math, queue, Operand.OUTPUT_GRADIENT, dy),
                local(queue, Operand.INPUT, xTK),
                dwNK);
    }

    private GemmObserver.Observed local(Queue queue, Operand operand, Tensor x) {
        return new GemmObserver.Observed(
                operand, () -> math.multiplied(queue, LinearProduct.WEIGHT_GRADIENT, operand, x), () -> x);
    }

    /** A packed operand of a weight-gradient GEMM. */
    static GemmObserver.Observed overTokens(LinearMath math, Queue queue, Operand operand, PackedOperand packed) {
        return new GemmObserver.Observed(
                operand,
                () -> math.packed()
                        .orElseThrow()
                        .multiplied(queue, Contraction.TOKENS, packed)
                        .orElse(null),
                () -> null);
    }

    @Override
    public Optional<MultipliedOperand> multiplied(Queue queue, Contraction over, PackedOperand operand) {
        return packed.multiplied(queue, over, operand);
    }
}
