package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.threads.WorkerPool;

/**
 * GEMM as the formula says: for each element of the result one sum over K, in order, in double for FP64 and in
 * float otherwise, to which the old element is added once.
 */
public final class ReferenceGemm extends OperandGemm {
    /** Rows of the result that share a column of b: its elements are converted once for all of them, which costs more than a multiply-add. */
    private static final int SHARING_ROWS = 16;

    private final WorkerPool pool;

    public ReferenceGemm(WorkerPool pool) {
        this.pool = pool;
    }

    @Override
    public void multiply(GemmOperands operands, boolean accumulate) {
        int rows = operands.extents().m();
        pool.run(
                Math.ceilDiv(rows, SHARING_ROWS),
                (block, scratch) -> multiplyRows(
                        operands, block * SHARING_ROWS, Math.min(rows, (block + 1) * SHARING_ROWS), accumulate));
    }

    private static void multiplyRows(GemmOperands operands, int first, int end, boolean accumulate) {
        double[][] aRows = new double[end - first][operands.extents().k()];
        for (int row = first; row < end; row++) {
            for (int k = 0; k < operands.extents().k(); k++) {
                aRows[row - first][k] = operands.a().getDouble(operands.aIndex(row, k));
            }
        }
        double[] bColumn = new double[operands.extents().k()];
        for (int column = 0; column < operands.extents().n(); column++) {
            for (int k = 0; k < bColumn.length; k++) {
                bColumn[k] = operands.b().getDouble(operands.bIndex(k, column));
            }
            for (int row = first; row < end; row++) {
                double sum = operands.isFp64()
                        ? sumInDouble(aRows[row - first], bColumn)
                        : sumInFloat(aRows[row - first], bColumn);
                long index = (long) row * operands.extents().n() + column;
                operands.c().setDouble(index, accumulate ? operands.c().getDouble(index) + sum : sum);
            }
        }
    }

    private static double sumInDouble(double[] a, double[] b) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
            sum += a[k] * b[k];
        }
        return sum;
    }

    private static float sumInFloat(double[] a, double[] b) {
        float sum = 0;
        for (int k = 0; k < a.length; k++) {
            sum += (float) a[k] * (float) b[k];
        }
        return sum;
    }
}
