package io.hirundo.devicecuda.internal.kernel.gemm;

import io.hirundo.device.Queue;
import io.hirundo.devicecuda.internal.launch.Grid;
import io.hirundo.devicecuda.internal.launch.Modules;
import io.hirundo.devicecuda.internal.memory.CudaTensor;
import io.hirundo.kernel.scaled.MatrixRun;
import io.hirundo.kernel.scaled.PieceScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** Kernels of {@code quantize_pieces.cu}, with one block per 128 x 128 elements. */
public record CudaPieceScaled(Modules modules) implements PieceScaledKernels {
    private static final String FILE = "quantize_pieces";
    private static final long TILE = ScaleBlock.EXTENT;

    @Override
    public void measure(Queue queue, MatrixRun x, Tensor amax) {
        Piece piece = Piece.of(x, amax);
        if (piece.isEmpty()) {
            return;
        }
        modules.launch(queue, FILE, "piece_measure")
                .tensor(piece.x)
                .integer(x.firstElement())
                .integer(piece.x.elements())
                .integer(x.rows())
                .integer(x.columns())
                .tensor(piece.amax)
                .run(piece.tilesOfRow(), piece.tileRows(), Grid.THREADS);
    }

    @Override
    public void quantize(Queue queue, MatrixRun x, Tensor amax, ScaleRule rule, Tensor codes) {
        Piece piece = Piece.of(x, amax);
        CudaTensor to = CudaTensor.CHECK.vector("codes", codes, piece.x.elements(), DType.FP8_E4M3, DType.FP8_E5M2);
        if (piece.isEmpty()) {
            return;
        }
        modules.launch(queue, FILE, "piece_quantize" + CudaTensor.suffix(to))
                .tensor(piece.x)
                .integer(x.firstElement())
                .integer(piece.x.elements())
                .integer(x.rows())
                .integer(x.columns())
                .tensor(piece.amax)
                .flag(rule == ScaleRule.EXACT)
                .tensor(to)
                .run(piece.tilesOfRow(), piece.tileRows(), Grid.THREADS);
    }

    /** A checked run of elements and the amax values of its matrix. */
    private record Piece(CudaTensor x, CudaTensor amax, MatrixRun run) {
        static Piece of(MatrixRun run, Tensor amax) {
            CudaTensor x = CudaTensor.CHECK.of("x", run.values(), DType.FP32);
            if (run.firstElement() < 0 || run.firstElement() + x.elements() > run.rows() * run.columns()) {
                throw new IllegalArgumentException("x has " + x.elements() + " elements from " + run.firstElement()
                        + " on, beyond the matrix [" + run.rows() + ", " + run.columns() + "]");
            }
            return new Piece(x, magnitudes(amax, run.rows(), run.columns()), run);
        }

        boolean isEmpty() {
            return x.elements() == 0;
        }

        long tilesOfRow() {
            return Math.ceilDiv(run.columns(), TILE);
        }

        /** Rows of square blocks from the first to the last element. */
        long tileRows() {
            long band = TILE * run.columns();
            return (run.firstElement() + x.elements() - 1) / band - run.firstElement() / band + 1;
        }
    }

    private static CudaTensor magnitudes(Tensor amax, long rows, long columns) {
        return CudaTensor.CHECK.exactly("amax", amax, ScaleBlock.SQUARE.scales(rows, columns), DType.FP32);
    }

    @Override
    public void complete(Queue queue, Tensor amax, ScaleRule rule, ScaledMatrix rowsMK, ScaledMatrix columnsKM) {
        CudaTensor codes = CudaTensor.CHECK.of("rowsMK.codesMK", rowsMK.codesMK(), DType.FP8_E4M3, DType.FP8_E5M2);
        long rows = codes.shape().rows();
        long columns = codes.shape().columns();
        modules.launch(queue, FILE, "piece_complete" + CudaTensor.suffix(codes))
                .tensor(codes)
                .integer(rows)
                .integer(columns)
                .tensor(magnitudes(amax, rows, columns))
                .flag(rule == ScaleRule.EXACT)
                .tensor(squares("rowsMK.inverseScales", rowsMK, rows, columns))
                .tensor(CudaTensor.CHECK.matrix("columnsKM.codesMK", columnsKM.codesMK(), columns, rows, codes.dtype()))
                .tensor(squares("columnsKM.inverseScales", columnsKM, columns, rows))
                .run(Math.ceilDiv(columns, TILE), Math.ceilDiv(rows, TILE), Grid.THREADS);
    }

    private static CudaTensor squares(String operand, ScaledMatrix matrix, long rows, long columns) {
        return CudaTensor.CHECK.exactly(
                operand, matrix.inverseScales(), ScaleBlock.SQUARE.scales(rows, columns), DType.FP32);
    }
}
