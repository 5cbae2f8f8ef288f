package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;
import java.util.Arrays;

/** Scalar GEMMs, accumulated in FP64. */
final class ScalarGemm implements GemmKernels {
  @Override
  public void multiplyNT(Queue queue, Tensor aMK, Tensor bNK, Tensor cMN, boolean accumulate) {
    multiply(operand("a", aMK, false), operand("b", bNK, true), cMN, accumulate);
  }

  @Override
  public void multiplyNN(Queue queue, Tensor aMK, Tensor bKN, Tensor cMN, boolean accumulate) {
    multiply(operand("a", aMK, false), operand("b", bKN, false), cMN, accumulate);
  }

  @Override
  public void multiplyTN(Queue queue, Tensor aKM, Tensor bKN, Tensor cMN, boolean accumulate) {
    multiply(operand("a", aKM, true), operand("b", bKN, false), cMN, accumulate);
  }

  /** A matrix, read transposed or as it is stored. */
  private record Operand(ScalarTensor tensor, long rows, long columns, boolean transposed) {
    double[] row(long row) {
      var values = new double[Math.toIntExact(columns)];
      Arrays.setAll(values, column -> tensor.get(transposed ? column * rows + row : row * columns + column));
      return values;
    }

    /** The same matrix, read the other way. */
    Operand other() {
      return new Operand(tensor, columns, rows, !transposed);
    }
  }

  private static Operand operand(String name, Tensor tensor, boolean transposed) {
    long rows = tensor.shape().rows();
    long columns = tensor.shape().dim(-1);
    var scalar = ScalarTensor.of(name, tensor);
    return transposed ? new Operand(scalar, columns, rows, true) : new Operand(scalar, rows, columns, false);
  }

  private static void multiply(Operand a, Operand b, Tensor result, boolean accumulate) {
    ScalarTensor c = ScalarTensor.of("c", result);
    boolean wide = c.dtype() == DType.FP64;
    boolean floating = c.dtype().isFloating() && a.tensor.dtype().isFloating() && b.tensor.dtype().isFloating();
    if (!floating || a.columns != b.rows || c.shape().rows() != a.rows || c.shape().dim(-1) != b.columns
        || wide != (a.tensor.dtype() == DType.FP64) || wide != (b.tensor.dtype() == DType.FP64)) {
      throw new IllegalArgumentException(
          "operands do not fit: a " + a.tensor + ", b " + b.tensor + ", c " + c + (a.transposed ? ", a read transposed" : "")
              + (b.transposed ? ", b read transposed" : ""));
    }
    // Each element is read once: without the optimizing compiler, that takes much longer than a product.
    double[][] aRows = rows(a);
    double[][] bColumns = rows(b.other());
    for (int row = 0; row < aRows.length; row++) {
      for (int column = 0; column < bColumns.length; column++) {
        double[] bColumn = bColumns[column];
        double sum = accumulate ? c.get(row * b.columns + column) : 0;
        for (int k = 0; k < bColumn.length; k++) {
          sum += aRows[row][k] * bColumn[k];
        }
        c.set(row * b.columns + column, sum);
      }
    }
  }

  private static double[][] rows(Operand operand) {
    var rows = new double[Math.toIntExact(operand.rows)][];
    Arrays.setAll(rows, operand::row);
    return rows;
  }
}
