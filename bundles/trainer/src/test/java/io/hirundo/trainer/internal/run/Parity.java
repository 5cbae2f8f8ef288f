package io.hirundo.trainer.internal.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.trainer.internal.run.Layouts.Trace;

/**
 * How far a run may be from another, relative to it.
 *
 * @param loss of each step
 * @param norm of each step's gradients
 * @param gradient of the first step, the Euclidean norm of each tensor's difference
 * @param weights after the last step, the Euclidean norm of the difference of all
 */
record Parity(double loss, double norm, double gradient, double weights) {
  static Parity within(double tolerance) {
    return new Parity(tolerance, tolerance, tolerance, tolerance);
  }

  void check(Trace expected, Trace actual) {
    for (int step = 0; step < expected.losses().size(); step++) {
      assertEquals(1, actual.losses().get(step) / expected.losses().get(step), loss, "loss of step " + (step + 1));
      assertEquals(1, actual.norms().get(step) / expected.norms().get(step), norm, "norm of step " + (step + 1));
    }
    assertEquals(expected.gradients().keySet(), actual.gradients().keySet());
    expected.gradients().forEach((path, values) -> {
      double difference = distance(values, actual.gradients().get(path)) / length(values);
      assertTrue(difference < gradient, "gradient of " + path + " is off by " + difference);
    });
    double differences = 0;
    double lengths = 0;
    for (String path : expected.weights().keySet()) {
      differences += Math.pow(distance(expected.weights().get(path), actual.weights().get(path)), 2);
      lengths += Math.pow(length(expected.weights().get(path)), 2);
    }
    assertTrue(Math.sqrt(differences / lengths) < weights, "weights are off by " + Math.sqrt(differences / lengths));
  }

  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return Math.sqrt(sum);
  }

  private static double length(double[] a) {
    return distance(a, new double[a.length]);
  }
}
