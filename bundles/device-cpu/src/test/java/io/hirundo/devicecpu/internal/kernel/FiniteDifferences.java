package io.hirundo.devicecpu.internal.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.CpuTensor;
import java.util.function.DoubleSupplier;

/** Compares gradients with central differences. */
final class FiniteDifferences {
  private static final double STEP = 1e-5;

  private FiniteDifferences() {}

  /**
   * @param input FP64, changed and restored
   * @param gradient of the loss by {@code input}
   * @param loss runs the forward and gives a number
   */
  static void check(String name, CpuTensor input, double[] gradient, DoubleSupplier loss) {
    assertEquals(input.elements(), gradient.length, name);
    for (int i = 0; i < gradient.length; i++) {
      double value = input.getDouble(i);
      input.setDouble(i, value + STEP);
      double above = loss.getAsDouble();
      input.setDouble(i, value - STEP);
      double below = loss.getAsDouble();
      input.setDouble(i, value);
      double difference = (above - below) / (2 * STEP);
      assertEquals(difference, gradient[i], 1e-8 * Math.max(1, Math.abs(difference)), name + " at " + i);
    }
  }

  /** The sum of products: a loss whose gradient by {@code a} is {@code b}. */
  static double dot(CpuTensor a, CpuTensor b) {
    double sum = 0;
    for (long i = 0; i < a.elements(); i++) {
      sum += a.getDouble(i) * b.getDouble(i);
    }
    return sum;
  }
}
