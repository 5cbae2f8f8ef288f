package io.hirundo.testkit.layer;

import io.hirundo.tensor.Tensor;

/** Central differences of a trial's objective. */
final class FiniteDifferences {
  /** The error is about its square; the rounding error of FP64 over it is about 1e-12. */
  private static final double STEP = 1e-4;

  private static final double TOLERANCE = 1e-6;

  /** Of a larger tensor, so many elements at equal distances are checked. */
  private static final int MAXIMUM_ELEMENTS = 48;

  private FiniteDifferences() {}

  static void check(LayerTrial trial, String what, Tensor tensor, double[] gradient) {
    double[] values = trial.read(tensor);
    int stride = Math.ceilDiv(values.length, MAXIMUM_ELEMENTS);
    int checked = Math.ceilDiv(values.length, stride);
    var expected = new double[checked];
    var actual = new double[checked];
    for (int i = 0; i < checked; i++) {
      int at = i * stride;
      expected[i] = slope(trial, tensor, values, at);
      actual[i] = gradient[at];
    }
    TrialValues.requireClose(what + (stride == 1 ? "" : " (every " + stride + "th element)"), expected, actual, TOLERANCE);
  }

  private static double slope(LayerTrial trial, Tensor tensor, double[] values, int at) {
    double[] moved = values.clone();
    moved[at] = values[at] + STEP;
    trial.write(tensor, moved);
    double above = trial.objective();
    moved[at] = values[at] - STEP;
    trial.write(tensor, moved);
    double below = trial.objective();
    trial.write(tensor, values);
    return (above - below) / (2 * STEP);
  }
}
