package io.hirundo.devicecpu.internal.gemm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.fixture.KernelParity;
import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.quantize.MatrixQuantizerTest;
import io.hirundo.devicecpu.internal.quantize.QuantizerTest;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.kernel.scaled.ScaleRule;
import io.hirundo.kernel.scaled.ScaledMatrix;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** GEMMs of FP8 matrices. */
class ScaledGemmTest {
  /** Small integers and scales that are powers of two: sums are exact in any order, and every device must give these. */
  @ParameterizedTest
  @CsvSource({"vector, ROW", "vector, SQUARE", "reference, ROW", "reference, SQUARE"})
  void integersAreExact(String kernels, ScaleBlock block) {
    int m = 70;
    int n = 150;
    int k = 300;
    try (TestDevice device = new TestDevice(2, kernels)) {
      ScaledMatrix a = integers(device, ScaleBlock.ROW, 1, m, k);
      ScaledMatrix b = integers(device, block, 2, n, k);
      CpuTensor c = device.tensor(DType.FP32, i -> i % 7, m, n);
      device.device.kernels().blockScaled().orElseThrow().multiplyNT(device.queue, a, b, c, true);
      for (int row = 0; row < m; row++) {
        for (int column = 0; column < n; column++) {
          double sum = (row * (long) n + column) % 7;
          for (int i = 0; i < k; i++) {
            sum += value(a, m, k, row, i) * value(b, n, k, column, i);
          }
          assertEquals(sum, c.getDouble((long) row * n + column), row + ", " + column);
        }
      }
    }
  }

  private static ScaledMatrix integers(TestDevice device, ScaleBlock block, long seed, int rows, int columns) {
    Random random = new Random(seed);
    ScaledMatrix matrix = QuantizerTest.matrix(device, DType.FP8_E4M3, block, rows, columns);
    fill(matrix.codesMK(), random, -4, 5, 1);
    fill(matrix.inverseScales(), random, 0, 3, 2);
    return matrix;
  }

  /** Integers from {@code low} on, or powers of two of them. */
  private static void fill(Tensor tensor, Random random, int low, int high, int base) {
    for (long i = 0; i < tensor.elements(); i++) {
      int drawn = random.nextInt(low, high);
      ((CpuTensor) tensor).setDouble(i, base == 1 ? drawn : Math.pow(base, drawn));
    }
  }

  private static double value(ScaledMatrix matrix, int rows, int columns, int row, int column) {
    return ((CpuTensor) matrix.codesMK()).getDouble((long) row * columns + column)
        * ((CpuTensor) matrix.inverseScales()).getDouble(matrix.block().scaleIndex(rows, columns, row, column));
  }

  /** Same bits as the reference, with any number of workers: ragged, of several tiles, accumulated or not. */
  @ParameterizedTest
  @EnumSource
  void equalsTheReference(ScaleRule rule) {
    int[][] sizes = {{1, 1, 1}, {7, 70, 130}, {200, 65, 128}, {193, 300, 257}, {5, 520, 31}};
    KernelParity.check(
        0,
        (device, kernels) -> {
          var outputs = new ArrayList<CpuTensor>();
          int variant = 0;
          for (int[] size : sizes) {
            for (ScaleBlock block : ScaleBlock.values()) {
              DType other = variant % 3 == 0 ? DType.FP8_E5M2 : DType.FP8_E4M3;
              ScaledMatrix a = quantized(device, rule, other, ScaleBlock.ROW, variant, size[0], size[2]);
              ScaledMatrix b = quantized(device, rule, DType.FP8_E4M3, block, variant + 50, size[1], size[2]);
              a = variant % 5 == 0 ? quantized(device, rule, other, ScaleBlock.MATRIX, variant, size[0], size[2]) : a;
              DType to = variant % 2 == 0 ? DType.FP32 : DType.BF16;
              CpuTensor c = device.random(to, 100 + variant, size[0], size[1]);
              kernels.blockScaled().orElseThrow().multiplyNT(device.queue, a, b, c, variant % 4 > 1);
              outputs.add(c);
              variant++;
            }
          }
          return outputs;
        });
  }

  @Test
  void nansPropagate() {
    try (TestDevice device = new TestDevice(1, "vector")) {
      CpuTensor x = device.tensor(DType.FP32, i -> i == 3 ? Double.NaN : 1, 2, 40);
      ScaledMatrix a = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 2, 40);
      var kernels = device.device.kernels().blockScaled().orElseThrow();
      kernels.quantize(device.queue, x, ScaleRule.POWER_OF_TWO, a);
      ScaledMatrix b = quantized(device, ScaleRule.EXACT, DType.FP8_E5M2, ScaleBlock.SQUARE, 1, 33, 40);
      CpuTensor c = device.tensor(DType.FP32, i -> 0, 2, 33);
      kernels.multiplyNT(device.queue, a, b, c, false);
      for (int i = 0; i < 66; i++) {
        assertEquals(i < 33, Double.isNaN(c.getDouble(i)), "element " + i);
      }
    }
  }

  @Test
  void rejectsMismatchedOperands() {
    try (TestDevice device = new TestDevice(1, "vector")) {
      var kernels = device.device.kernels().blockScaled().orElseThrow();
      CpuTensor x = device.tensor(DType.FP32, i -> 0, 8, 16);
      ScaledMatrix good = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.ROW, 8, 16);
      ScaledMatrix square = QuantizerTest.matrix(device, DType.FP8_E4M3, ScaleBlock.SQUARE, 8, 16);
      var mixed = new ScaledMatrix(good.codesMK(), square.inverseScales(), ScaleBlock.ROW);
      var wide = new ScaledMatrix(x, good.inverseScales(), ScaleBlock.ROW);
      CpuTensor c = device.tensor(DType.FP32, i -> 0, 8, 8);
      for (Runnable wrong :
          List.<Runnable>of(
              () -> kernels.quantize(device.queue, x, ScaleRule.EXACT, mixed),
              () -> kernels.quantize(device.queue, x, ScaleRule.EXACT, wide),
              () -> kernels.quantizeTransposed(device.queue, x, ScaleRule.EXACT, good),
              () -> kernels.quantizeBoth(device.queue, x, ScaleRule.EXACT, good, good),
              () -> kernels.multiplyNT(device.queue, square, good, c, false),
              () -> kernels.multiplyNT(device.queue, good, mixed, c, false),
              () -> kernels.multiplyNT(device.queue, good, good, x, false))) {
        String message = assertThrows(IllegalArgumentException.class, wrong::run).getMessage();
        assertTrue(message.matches("(?s).*(rowsMK|columnsKM|aMK|bNK|cMN).*"), message);
      }
    }
  }

  private static ScaledMatrix quantized(
      TestDevice device, ScaleRule rule, DType dtype, ScaleBlock block, long seed, int rows, int columns) {
    ScaledMatrix matrix = QuantizerTest.matrix(device, dtype, block, rows, columns);
    CpuTensor x = device.random(DType.FP32, seed, rows, columns);
    if (block == ScaleBlock.MATRIX) {
      MatrixQuantizerTest.quantize(device, x, rule, matrix);
    } else {
      device.device.kernels().blockScaled().orElseThrow().quantize(device.queue, x, rule, matrix);
    }
    return matrix;
  }
}
