package io.hirundo.testkit.scalar.kernel;

import io.hirundo.device.Queue;
import io.hirundo.kernel.GemmKernels;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.scalar.value.ScalarTensor;

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
    double at(long row, long column) {
      return tensor.get(transposed ? column * rows + row : row * columns + column);
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
    for (long row = 0; row < a.rows; row++) {
      for (long column = 0; column < b.columns; column++) {
        double sum = accumulate ? c.get(row * b.columns + column) : 0;
        for (long k = 0; k < a.columns; k++) {
          sum += a.at(row, k) * b.at(k, column);
        }
        c.set(row * b.columns + column, sum);
      }
    }
  }
}
