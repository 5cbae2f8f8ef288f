package io.hirundo.testkit.trial;

import io.hirundo.tensor.Tensor;

/** Central differences of an objective. */
public final class FiniteDifferences {
    /** The error is about its square; the rounding error of FP64 over it is about 1e-12. */
    private static final double STEP = 1e-4;

    private static final double TOLERANCE = 1e-6;

    private FiniteDifferences() {}

    /**
     * Compares a gradient with differences.
     *
     * @param maximumElements of a larger tensor, so many elements at equal distances
     */
    public static void check(Objective objective, String what, Tensor tensor, double[] gradient, int maximumElements) {
        double[] values = objective.read(tensor);
        int stride = Math.ceilDiv(values.length, maximumElements);
        int checked = Math.ceilDiv(values.length, stride);
        var expected = new double[checked];
        var actual = new double[checked];
        for (int i = 0; i < checked; i++) {
            int at = i * stride;
            expected[i] = slope(objective, tensor, values, at);
            actual[i] = gradient[at];
        }
        TrialValues.requireClose(
                what + (stride == 1 ? "" : " (every " + stride + "th element)"), expected, actual, TOLERANCE);
    }

    private static double slope(Objective objective, Tensor tensor, double[] values, int at) {
        double[] moved = values.clone();
        moved[at] = values[at] + STEP;
        objective.write(tensor, moved);
        double above = objective.objective();
        moved[at] = values[at] - STEP;
        objective.write(tensor, moved);
        double below = objective.objective();
        objective.write(tensor, values);
        return (above - below) / (2 * STEP);
    }
}
