package io.hirundo.devicecpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.TestDevice;
import io.hirundo.kernel.Kernels;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/** Runs a case on the reference kernels, then on the vector kernels with one, two and three workers. */
final class Parity {
  /** Makes its operands, the same each time, calls kernels, and returns what they wrote. */
  @FunctionalInterface
  interface Case {
    List<CpuTensor> run(TestDevice device, Kernels kernels);
  }

  /** The distance of BF16 numbers next to each other: both sides round, the one from sums in FP32, the other in FP64. */
  static final double BF16_NEIGHBOURS = 0x1p-7;

  /** Least size of a tensor's elements: where all of them cancel out, rounding errors of the terms are left. */
  private static final double LEAST_SIZE = 0.01;

  private Parity() {}

  /**
   * @param tolerance of each element, times its size plus the root mean square of its tensor; 0 for the same bits. Of BF16
   *     elements {@link #BF16_NEIGHBOURS} at least. Bitwise between workers
   */
  static void check(double tolerance, Case parityCase) {
    List<Output> expected = run(1, "reference", parityCase);
    List<Output> vector = run(1, "vector", parityCase);
    for (int i = 0; i < expected.size(); i++) {
      boolean rounded = tolerance > 0 && expected.get(i).dtype == DType.BF16;
      assertClose(
          "output " + i, expected.get(i).values, vector.get(i).values,
          rounded ? Math.max(tolerance, BF16_NEIGHBOURS) : tolerance);
    }
    for (int workers = 2; workers <= 3; workers++) {
      List<Output> again = run(workers, "vector", parityCase);
      for (int i = 0; i < vector.size(); i++) {
        assertArrayEquals(vector.get(i).values, again.get(i).values, "output " + i + " with " + workers + " workers");
      }
    }
  }

  static void assertClose(String name, double[] expected, double[] actual, double tolerance) {
    assertEquals(expected.length, actual.length, name);
    double squares = 0;
    for (double value : expected) {
      squares += Double.isFinite(value) ? value * value : 0;
    }
    double size = Math.max(LEAST_SIZE, Math.sqrt(squares / Math.max(1, expected.length)));
    for (int i = 0; i < expected.length; i++) {
      if (!Double.isFinite(expected[i])) {
        assertEquals(expected[i], actual[i], name + " at " + i);
        continue;
      }
      double error = Math.abs(expected[i] - actual[i]);
      String message = name + " at " + i + ": expected " + expected[i] + ", is " + actual[i];
      assertTrue(error <= tolerance * (Math.abs(expected[i]) + size), message);
    }
  }

  private record Output(DType dtype, double[] values) {}

  private static List<Output> run(int workers, String kernels, Case parityCase) {
    try (TestDevice device = new TestDevice(workers, kernels)) {
      List<Output> values = new ArrayList<>();
      for (CpuTensor tensor : parityCase.run(device, device.device.kernels())) {
        values.add(new Output(tensor.dtype(), TestDevice.values(tensor)));
      }
      return values;
    }
  }
}
