package io.hirundo.devicecpu.internal.quantize;

import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.quantize.ScaledOperands.Scaled;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Blocks;
import io.hirundo.devicecpu.internal.threads.WorkerPool;
import io.hirundo.kernel.scaled.BlockScaledKernels;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;

/** 8-bit matrices block after block, element after element; sums in the order of k. */
public final class ReferenceBlockScaled implements BlockScaledKernels {
    /** Rows of a GEMM's result that share a row of b: its elements are converted once for all, which costs more than a multiply-add. */
    private static final int SHARING_ROWS = 16;

    private final WorkerPool pool;

    public ReferenceBlockScaled(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void quantize(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix rowsMK) {
        quantize(ScaledOperands.of(xMK, rule, false, rowsMK).requireBlocks());
    }

    @Override
    public void quantizeTransposed(Queue queue, Tensor xMK, ScaleRule rule, ScaledMatrix columnsKM) {
        quantize(ScaledOperands.of(xMK, rule, true, columnsKM).requireBlocks());
    }

    private void quantize(ScaledOperands operands) {
        Scaled result = operands.result();
        int height = result.block() == ScaleBlock.ROW ? 1 : ScaleBlock.EXTENT;
        pool.run(Blocks.count(result.rows(), height), (task, scratch) -> {
            long row = (long) task * height;
            for (long column = 0; column < result.columns(); column += ScaleBlock.EXTENT) {
                quantizeBlock(operands, row, Math.min(height, result.rows() - row), column);
            }
        });
    }

    /** A block of the result. */
    private static void quantizeBlock(ScaledOperands operands, long firstRow, long rows, long firstColumn) {
        Scaled result = operands.result();
        long columns = Math.min(ScaleBlock.EXTENT, result.columns() - firstColumn);
        float amax = 0;
        for (long row = firstRow; row < firstRow + rows; row++) {
            for (long column = firstColumn; column < firstColumn + columns; column++) {
                float magnitude = Math.abs(operands.value(row, column));
                amax = magnitude > amax ? magnitude : amax;
            }
        }
        float scale = operands.scale(amax);
        result.inverseScales()
                .setDouble(
                        result.block().scaleIndex(result.rows(), result.columns(), firstRow, firstColumn), 1 / scale);
        for (long row = firstRow; row < firstRow + rows; row++) {
            for (long column = firstColumn; column < firstColumn + columns; column++) {
                result.codes().setDouble(row * result.columns() + column, operands.value(row, column) * scale);
            }
        }
    }

    /** A GEMM with one rounding, of which there is no faster form here. */
    @Override
    public void dequantize(Queue queue, ScaledMatrix rowsMK, Tensor xMK) {
        CpuTensor x = CpuTensor.CHECK.of("xMK", xMK, DType.FP32, DType.BF16);
        Scaled scaled = Scaled.of("rowsMK", rowsMK, x.shape().rows(), x.shape().columns());
        if (scaled.block() == ScaleBlock.MATRIX) {
            throw new IllegalArgumentException("rowsMK has one scale for all; needed are those of blocks");
        }
        Blocks.rows(pool, scaled.rows(), scaled.columns(), (first, count) -> {
            for (long row = first; row < first + count; row++) {
                for (long column = 0; column < scaled.columns(); column++) {
                    long index = row * scaled.columns() + column;
                    x.setDouble(index, (float) scaled.codes().getDouble(index) * scaled.inverseScale(row, column));
                }
            }
        });
    }

    @Override
    public void multiplyNT(Queue queue, ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN, boolean accumulate) {
        GemmOfScaled product = GemmOfScaled.of(aMK, bNK, cMN);
        int rows = Math.toIntExact(product.a().rows());
        pool.run(
                Math.ceilDiv(rows, SHARING_ROWS),
                (block, scratch) -> multiplyRows(
                        product, block * SHARING_ROWS, Math.min(rows, (block + 1) * SHARING_ROWS), accumulate));
    }

    private static void multiplyRows(GemmOfScaled product, int first, int end, boolean accumulate) {
        float[][] aRows = new float[end - first][];
        for (int row = first; row < end; row++) {
            aRows[row - first] = row(product.a(), row);
        }
        for (long column = 0; column < product.b().rows(); column++) {
            float[] bRow = row(product.b(), column);
            for (int row = first; row < end; row++) {
                float y = sum(product, row, aRows[row - first], column, bRow);
                long index = row * product.b().rows() + column;
                product.c().setDouble(index, accumulate ? product.c().getDouble(index) + y : y);
            }
        }
    }

    /** Quantized values without their scales. */
    private static float[] row(Scaled matrix, long row) {
        float[] values = new float[Math.toIntExact(matrix.columns())];
        for (int column = 0; column < values.length; column++) {
            values[column] = (float) matrix.codes().getDouble(row * matrix.columns() + column);
        }
        return values;
    }

    private static float sum(GemmOfScaled product, long row, float[] a, long column, float[] b) {
        float y = 0;
        for (int first = 0; first < a.length; first += ScaleBlock.EXTENT) {
            float sum = 0;
            for (int k = first; k < Math.min(first + ScaleBlock.EXTENT, a.length); k++) {
                sum += a[k] * b[k];
            }
            y = Math.fma(sum * product.a().inverseScale(row, first), product.b().inverseScale(column, first), y);
        }
        return y;
    }

    /** The operands of a GEMM, checked. */
    record GemmOfScaled(Scaled a, Scaled b, CpuTensor c) {
        static GemmOfScaled of(ScaledMatrix aMK, ScaledMatrix bNK, Tensor cMN) {
            if (aMK.block() == ScaleBlock.SQUARE) {
                throw new IllegalArgumentException(
                        "aMK has scales for squares, needed are those for rows or one for all");
            }
            CpuTensor c = CpuTensor.CHECK.of("cMN", cMN, DType.FP32, DType.BF16);
            long k = CpuTensor.CHECK.of("aMK.codesMK", aMK.codesMK()).shape().columns();
            Scaled a = Scaled.of("aMK", aMK, c.shape().rows(), k);
            return new GemmOfScaled(a, Scaled.of("bNK", bNK, c.shape().columns(), k), c);
        }
    }
}
