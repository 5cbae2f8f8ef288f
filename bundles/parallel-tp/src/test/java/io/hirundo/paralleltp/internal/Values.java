package io.hirundo.paralleltp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Tensors as arrays of doubles, which hold every element exactly. */
final class Values {
  static final double FP64_TOLERANCE = 1e-12;
  static final double FP32_TOLERANCE = 1e-6;

  private Values() {}

  static double[] read(Device device, Queue queue, Tensor tensor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(Math.max(8, tensor.byteSize()), 8);
      device.transfer().download(queue, tensor, host);
      double[] values = new double[Math.toIntExact(tensor.elements())];
      for (int i = 0; i < values.length; i++) {
        values[i] =
            switch (tensor.dtype()) {
              case FP64 -> host.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
              case FP32 -> host.getAtIndex(ValueLayout.JAVA_FLOAT, i);
              case INT32 -> host.getAtIndex(ValueLayout.JAVA_INT, i);
              case BF16, FP8_E4M3, FP8_E5M2 -> throw new AssertionError("not used here");
            };
      }
      return values;
    }
  }

  static void write(Device device, Queue queue, double[] values, Tensor tensor) {
    assertEquals(tensor.elements(), values.length);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment host = arena.allocate(Math.max(8, tensor.byteSize()), 8);
      for (int i = 0; i < values.length; i++) {
        switch (tensor.dtype()) {
          case FP64 -> host.setAtIndex(ValueLayout.JAVA_DOUBLE, i, values[i]);
          case FP32 -> host.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
          case INT32 -> host.setAtIndex(ValueLayout.JAVA_INT, i, (int) values[i]);
          case BF16, FP8_E4M3, FP8_E5M2 -> throw new AssertionError("not used here");
        }
      }
      device.transfer().upload(queue, host, tensor);
    }
  }

  /** The same numbers for the same name, each of them exact in FP32. */
  static double[] random(String name, long count, double scale) {
    var random = new SplittableRandom(name.hashCode());
    double[] values = new double[Math.toIntExact(count)];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (scale * random.nextDouble(-1, 1));
    }
    return values;
  }

  /** Rows {@code [firstRow, firstRow + rows)} and columns {@code [firstColumn, firstColumn + columns)} of a matrix. */
  static double[] window(double[] matrix, long width, long firstRow, long rows, long firstColumn, long columns) {
    double[] window = new double[Math.toIntExact(rows * columns)];
    for (int row = 0; row < rows; row++) {
      System.arraycopy(
          matrix, (int) ((firstRow + row) * width + firstColumn), window, (int) (row * columns), (int) columns);
    }
    return window;
  }

  /** {@code c[M,N] += a[M,K] b[K,N]}. */
  static void multiplyAdd(double[] a, double[] b, double[] c, int m, int n, int k) {
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        for (int at = 0; at < k; at++) {
          c[i * n + j] += a[i * k + at] * b[at * n + j];
        }
      }
    }
  }

  static double[] transpose(double[] matrix, int rows, int columns) {
    double[] transposed = new double[matrix.length];
    for (int i = 0; i < matrix.length; i++) {
      transposed[i % columns * rows + i / columns] = matrix[i];
    }
    return transposed;
  }

  /** Relative to the largest element. */
  static void assertClose(double[] expected, double[] actual, DType dtype, String what) {
    assertClose(expected, actual, dtype == DType.FP64 ? FP64_TOLERANCE : FP32_TOLERANCE, what);
  }

  static void assertClose(double[] expected, double[] actual, double tolerance, String what) {
    assertEquals(expected.length, actual.length, what);
    double largest = 0;
    double furthest = 0;
    for (int i = 0; i < expected.length; i++) {
      largest = Math.max(largest, Math.abs(expected[i]));
      double distance = Math.abs(expected[i] - actual[i]);
      furthest = Double.isNaN(distance) ? Double.POSITIVE_INFINITY : Math.max(furthest, distance);
    }
    assertTrue(largest > 0, what + " is nothing but zeros");
    assertTrue(furthest <= tolerance * largest, what + " is off by " + furthest / largest);
  }
}
