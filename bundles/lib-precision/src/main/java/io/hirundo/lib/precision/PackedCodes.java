package io.hirundo.lib.precision;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.precision.Contraction;
import io.hirundo.precision.Operand;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Operands packed as quantized values [pieces, M, K] and scales [pieces, ...], with K the contracted dimension and {@link
 * ScaleBlock#ROW} scaling.
 *
 * @param scaleType dtype of scales in transit
 */
record PackedCodes(Device device, OperandQuantizer quantizer, DType scaleType) {
    /** Quantized values and scales; closed after the GEMM that reads them. */
    record Unpacked(ScaledMatrix scaled, List<Tensor> owned) implements AutoCloseable {
        @Override
        public void close() {
            owned.forEach(Tensor::close);
        }
    }

    /** Allocates pieces of so many rows and features. */
    PackedOperand allocate(Operand operand, Contraction over, long rows, long features, int pieces) {
        boolean byRow = over == Contraction.FEATURES;
        long m = byRow ? rows : features;
        long k = byRow ? features : rows;
        Shape scales = ScaleBlock.ROW.scales(m, k);
        Tensor codes = device.allocate(MemoryCategory.COMMUNICATION, Shape.of(pieces, m, k), quantizer.codes(operand));
        try {
            return new PackedOperand(List.of(
                    codes,
                    device.allocate(
                            MemoryCategory.COMMUNICATION, Shape.of(pieces, scales.dim(0), scales.dim(1)), scaleType)));
        } catch (RuntimeException failure) {
            codes.close();
            throw failure;
        }
    }

    void pack(Queue queue, Operand operand, Contraction over, Tensor xMK, PackedOperand piece) {
        Tensor scales = matrix(piece.tensors().get(1));
        Tensor wide = scaleType == DType.FP32 ? scales : workspace(scales.shape(), DType.FP32);
        var scaled = new ScaledMatrix(matrix(piece.tensors().getFirst()), wide, ScaleBlock.ROW);
        if (over == Contraction.FEATURES) {
            quantizer.quantize(queue, operand, xMK, scaled);
        } else {
            quantizer.quantizeTransposed(queue, operand, xMK, scaled);
        }
        if (wide != scales) {
            device.kernels().elementwise().copy(queue, wide, scales);
            wide.close();
        }
    }

    /** Unpacks a single piece. */
    Unpacked unpack(Queue queue, PackedOperand piece) {
        Tensor scales = matrix(piece.tensors().get(1));
        return unpacked(queue, matrix(piece.tensors().getFirst()), scales, List.of());
    }

    /** Concatenates all pieces along the tokens they are packed over. */
    Unpacked join(Queue queue, PackedOperand pieces) {
        if (pieces.pieces() == 1) {
            return unpack(queue, pieces);
        }
        Tensor codes = pieces.tensors().getFirst();
        Tensor scales = pieces.tensors().get(1);
        long tokens = codes.shape().dim(2);
        Tensor joined = workspace(Shape.of(codes.shape().dim(1), pieces.pieces() * tokens), codes.dtype());
        for (int piece = 0; piece < pieces.pieces(); piece++) {
            device.kernels().elementwise().copyColumns(queue, matrix(codes.rows(piece, 1)), joined, piece * tokens);
        }
        // Scale blocks are rows of the scales, and a piece has complete blocks.
        Tensor joinedScales = scales.reshape(
                pieces.pieces() * scales.shape().dim(1), scales.shape().dim(2));
        return unpacked(queue, joined, joinedScales, List.of(joined));
    }

    /** Takes ownership of {@code owned}. */
    private Unpacked unpacked(Queue queue, Tensor codes, Tensor scales, List<Tensor> owned) {
        if (scaleType == DType.FP32) {
            return new Unpacked(new ScaledMatrix(codes, scales, ScaleBlock.ROW), owned);
        }
        Tensor wide = workspace(scales.shape(), DType.FP32);
        device.kernels().elementwise().copy(queue, scales, wide);
        var all = new ArrayList<>(owned);
        all.add(wide);
        return new Unpacked(new ScaledMatrix(codes, wide, ScaleBlock.ROW), all);
    }

    private Tensor workspace(Shape shape, DType type) {
        return device.allocate(MemoryCategory.WORKSPACE, shape, type);
    }

    /** A single piece as a matrix. */
    private static Tensor matrix(Tensor piece) {
        return piece.reshape(piece.shape().dim(1), piece.shape().dim(2));
    }
}
