package io.hirundo.lib.precision;

import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.MultipliedOperand;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.precision.PackedProducts;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.tensor.Tensor;
import java.util.Optional;

/** GEMMs of {@link QuantizedGemms} with operands that arrive quantized. */
record PackedQuantizedGemms(QuantizedGemms gemms, BlockScaledKernels kernels, LinearShape linear, PackedCodes codes)
        implements PackedProducts {
    /** Complete rows have complete blocks. Along tokens, pieces must end at a block boundary. */
    @Override
    public boolean packs(Operand operand, Contraction over, long rows) {
        return over == Contraction.FEATURES || rows % ScaleBlock.EXTENT == 0;
    }

    @Override
    public PackedOperand allocate(Operand operand, Contraction over, long rows, int pieces) {
        gemms.requireOpen();
        return codes.allocate(
                operand, over, rows, operand == Operand.INPUT ? linear.inputs() : linear.outputs(), pieces);
    }

    @Override
    public void pack(Queue queue, Operand operand, Contraction over, Tensor xMK, PackedOperand piece) {
        gemms.requireOpen();
        codes.pack(queue, operand, over, xMK, piece);
    }

    @Override
    public void forward(Queue queue, PackedOperand x, PreparedWeight weight, Tensor yTN) {
        multiply(queue, x, gemms.rows(weight), yTN);
    }

    @Override
    public void inputGradient(Queue queue, PackedOperand dy, PreparedWeight weight, Tensor dxTK) {
        multiply(queue, dy, gemms.columns(weight), dxTK);
    }

    private void multiply(Queue queue, PackedOperand pieces, ScaledMatrix weight, Tensor result) {
        long rows = result.shape().dim(0) / pieces.pieces();
        for (int piece = 0; piece < pieces.pieces(); piece++) {
            try (var operand = codes.unpack(queue, pieces.piece(piece))) {
                kernels.multiplyNT(queue, operand.scaled(), weight, result.rows(piece * rows, rows), false);
            }
        }
    }

    @Override
    public void weightGradient(Queue queue, Tensor dyTN, PackedOperand x, Tensor dwNK) {
        gemms.requireOpen();
        try (QuantizedMatrix dy = gemms.columns(queue, Operand.OUTPUT_GRADIENT, dyTN)) {
            weightGradient(queue, dy, x, dwNK);
        }
    }

    /** {@code dy}: transposed, from {@link QuantizedGemms#columns}. */
    void weightGradient(Queue queue, QuantizedMatrix dy, PackedOperand x, Tensor dwNK) {
        try (var joined = codes.join(queue, x)) {
            kernels.multiplyNT(queue, dy.scaled(), joined.scaled(), dwNK, true);
        }
    }

    @Override
    public void weightGradient(Queue queue, PackedOperand dy, Tensor xTK, Tensor dwNK) {
        gemms.requireOpen();
        try (var joined = codes.join(queue, dy);
                QuantizedMatrix x = gemms.columns(queue, Operand.INPUT, xTK)) {
            kernels.multiplyNT(queue, joined.scaled(), x.scaled(), dwNK, true);
        }
    }

    @Override
    public Optional<MultipliedOperand> multiplied(Queue queue, Contraction over, PackedOperand packed) {
        gemms.requireOpen();
        var whole = over == Contraction.TOKENS ? codes.join(queue, packed) : codes.unpack(queue, packed);
        return Optional.of(MultipliedOperand.codes(whole.scaled(), whole.owned()));
    }
}
