package io.hirundo.devicecpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.devicecpu.internal.TestDevice;
import io.hirundo.kernel.Kernels;
import java.util.ArrayList;
import java.util.List;

/** Runs a case on the reference kernels, then on the vector kernels with one, two and three workers. */
final class Parity {
  /** Makes its operands, the same each time, calls kernels, and returns what they wrote. */
  @FunctionalInterface
  interface Case {
    List<CpuTensor> run(TestDevice device, Kernels kernels);
  }

  /** Least size of a tensor's elements: where all of them cancel out, rounding errors of the terms are left. */
  private static final double LEAST_SIZE = 0.01;

  private Parity() {}

  /**
   * @param tolerance of each element, times its size plus the root mean square of its tensor; bitwise between workers
   */
  static void check(double tolerance, Case parityCase) {
    List<double[]> expected = run(1, "reference", parityCase);
    List<double[]> vector = run(1, "vector", parityCase);
    for (int i = 0; i < expected.size(); i++) {
      assertClose("output " + i, expected.get(i), vector.get(i), tolerance);
    }
    for (int workers = 2; workers <= 3; workers++) {
      List<double[]> again = run(workers, "vector", parityCase);
      for (int i = 0; i < vector.size(); i++) {
        assertArrayEquals(vector.get(i), again.get(i), "output " + i + " with " + workers + " workers");
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

  private static List<double[]> run(int workers, String kernels, Case parityCase) {
    try (TestDevice device = new TestDevice(workers, kernels)) {
      List<double[]> values = new ArrayList<>();
      for (CpuTensor tensor : parityCase.run(device, device.device.kernels())) {
        values.add(TestDevice.values(tensor));
      }
      return values;
    }
  }
}
