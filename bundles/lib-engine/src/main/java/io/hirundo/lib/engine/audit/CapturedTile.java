package io.hirundo.lib.engine.audit;

import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.lib.engine.audit.TileStaging.Copy;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.lib.oracle.Rounding;
import io.hirundo.lib.oracle.TileCheck;
import io.hirundo.lib.oracle.gemm.HostElements;
import io.hirundo.precision.LinearProduct;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;

/**
 * A tile of a GEMM result and the matching rows of its operands, copied while the GEMM ran.
 *
 * @param firstRow first row of the tile in the result
 * @param firstColumn first column of the tile in the result
 * @param before the accumulator before the GEMM; empty if the GEMM overwrites the result
 * @param after the tile after the GEMM
 */
record CapturedTile(
        TileCapture.Tile tile,
        TileCapture.Wanted wanted,
        long firstRow,
        long firstColumn,
        OperandRows left,
        OperandRows right,
        Optional<Copy> before,
        Copy after,
        Rounding rounding) {
    /**
     * Rows of an operand as they were multiplied.
     *
     * @param values [rows, K], or [K, rows]
     * @param byRow whether the shape is [rows, K]
     * @param block scale block layout; empty if the values are not quantized
     * @param scales inverse scales of these rows; null if the values are not quantized
     */
    record OperandRows(Copy values, boolean byRow, Optional<ScaleBlock> block, Copy scales) {
        /** Dequantized, as [rows, K]. */
        private double[][] read(Map<DType, MemorySegment> host) {
            double[][] stored = matrix(host, values);
            if (!byRow) {
                return transposed(stored);
            }
            if (block.isPresent()) {
                double[][] factors = matrix(host, scales);
                for (int row = 0; row < stored.length; row++) {
                    for (int k = 0; k < stored[row].length; k++) {
                        stored[row][k] *= factor(factors, row, k / ScaleBlock.EXTENT);
                    }
                }
            }
            return stored;
        }

        private double factor(double[][] factors, int row, int kBlock) {
            return switch (block.orElseThrow()) {
                case ROW -> factors[kBlock][row];
                case SQUARE -> factors[0][kBlock];
                case MATRIX -> factors[0][0];
            };
        }
    }

    /** The tile in FP64: rows of both operands as [rows, K], and the result before (or null) and after. */
    record Numbers(double[][] leftMK, double[][] rightNK, double[][] beforeMN, double[][] afterMN) {
        /** The largest tile of a GEMM, all zero. */
        static Numbers zeros(GemmPlan plan) {
            int rows = (int) Math.min(plan.tile(), plan.rows());
            int columns = (int) Math.min(plan.tile(), plan.columns());
            int summands = Math.toIntExact(plan.summands());
            double[][] before = plan.product() == LinearProduct.WEIGHT_GRADIENT ? new double[rows][columns] : null;
            return new Numbers(
                    new double[rows][summands], new double[columns][summands], before, new double[rows][columns]);
        }
    }

    /** {@code host}: the copied elements by dtype. */
    Numbers read(Map<DType, MemorySegment> host) {
        return new Numbers(
                left.read(host),
                right.read(host),
                before.map(copy -> matrix(host, copy)).orElse(null),
                matrix(host, after));
    }

    /** The element with the largest error relative to its bound. */
    ElementError check(Numbers numbers) {
        return TileCheck.worst(numbers.leftMK(), numbers.rightNK(), numbers.beforeMN(), numbers.afterMN(), rounding);
    }

    private static double[][] matrix(Map<DType, MemorySegment> host, Copy copy) {
        var elements = HostElements.of(host.get(copy.dtype()), copy.dtype());
        int columns = Math.toIntExact(copy.shape().dim(-1));
        double[][] matrix = new double[Math.toIntExact(copy.shape().rows())][columns];
        for (int row = 0; row < matrix.length; row++) {
            elements.read(copy.firstElement() + (long) row * columns, columns, matrix[row]);
        }
        return matrix;
    }

    static double[][] transposed(double[][] matrix) {
        double[][] turned = new double[matrix[0].length][matrix.length];
        for (int row = 0; row < matrix.length; row++) {
            for (int column = 0; column < turned.length; column++) {
                turned[column][row] = matrix[row][column];
            }
        }
        return turned;
    }
}
