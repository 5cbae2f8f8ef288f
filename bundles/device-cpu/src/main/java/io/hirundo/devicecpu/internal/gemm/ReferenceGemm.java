package io.hirundo.devicecpu.internal.gemm;

import io.hirundo.devicecpu.internal.threads.WorkerPool;

/**
 * GEMM as the formula says: for each element of the result one sum over K, in order, in double for FP64 and in
 * float otherwise, to which the old element is added once.
 */
public final class ReferenceGemm extends OperandGemm {
  private final WorkerPool pool;

  public ReferenceGemm(WorkerPool pool) {
    this.pool = pool;
  }

  @Override
  public void multiply(GemmOperands operands, boolean accumulate) {
    pool.run(operands.extents().m(), (row, scratch) -> multiplyRow(operands, row, accumulate));
  }

  private static void multiplyRow(GemmOperands operands, int row, boolean accumulate) {
    long columns = operands.extents().n();
    for (long column = 0; column < columns; column++) {
      double sum = operands.isFp64() ? sumInDouble(operands, row, column) : sumInFloat(operands, row, column);
      long index = row * columns + column;
      operands.c().setDouble(index, accumulate ? operands.c().getDouble(index) + sum : sum);
    }
  }

  private static double sumInDouble(GemmOperands operands, long m, long n) {
    double sum = 0;
    for (long k = 0; k < operands.extents().k(); k++) {
      sum += operands.a().getDouble(operands.aIndex(m, k)) * operands.b().getDouble(operands.bIndex(k, n));
    }
    return sum;
  }

  private static float sumInFloat(GemmOperands operands, long m, long n) {
    float sum = 0;
    for (long k = 0; k < operands.extents().k(); k++) {
      sum += (float) operands.a().getDouble(operands.aIndex(m, k)) * (float) operands.b().getDouble(operands.bIndex(k, n));
    }
    return sum;
  }
}
