package io.hirundo.gpusuite.internal.layouts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The largest differences of each kind between a run and the single rank. NaN counts as the largest.
 *
 * @param loss largest difference of a step's loss
 * @param norm largest difference of a step's gradient norm
 * @param gradient largest difference of a gradient; null if none was compared
 */
record Verdict(Precision.Closeness allowed, Deviation loss, Deviation norm, Deviation gradient) {
    /**
     * The largest difference of its kind.
     *
     * @param what description
     * @param by relative difference
     */
    record Deviation(String what, double by) {
        private static Deviation furthest(List<Deviation> all) {
            return all.stream().max(Comparator.comparing(Deviation::by)).orElse(null);
        }

        private String cells(double allowed) {
            return String.format(Locale.ROOT, " %.1e | %.1e |", by, allowed);
        }

        private boolean isWithin(double allowed) {
            return by <= allowed;
        }

        private String tooFar(double allowed) {
            return String.format(Locale.ROOT, "%s is off by %.1e, allowed %.1e", what, by, allowed);
        }
    }

    /** Compares a run with that of the single rank. */
    static Verdict of(Precision.Closeness allowed, Trace expected, Trace actual) {
        var gradients = new ArrayList<Deviation>();
        for (Map.Entry<String, Trace.Piece> gradient : actual.gradients().entrySet()) {
            double difference =
                    gradient.getValue().differenceFrom(expected.gradients().get(gradient.getKey()));
            gradients.add(new Deviation("the gradient of " + gradient.getKey(), difference));
        }
        return new Verdict(
                allowed,
                ofSteps("the loss of step ", expected.losses(), actual.losses()),
                ofSteps("the gradients' norm of step ", expected.norms(), actual.norms()),
                Deviation.furthest(gradients));
    }

    private static Deviation ofSteps(String what, List<Double> expected, List<Double> actual) {
        var all = new ArrayList<Deviation>();
        for (int step = 0; step < expected.size(); step++) {
            double difference = Math.abs(actual.get(step) - expected.get(step)) / Math.abs(expected.get(step));
            all.add(new Deviation(what + (step + 1), difference));
        }
        return Deviation.furthest(all);
    }

    /** The differences above their bounds. */
    List<String> failures() {
        var failures = new ArrayList<String>();
        if (!loss.isWithin(allowed.loss())) {
            failures.add(loss.tooFar(allowed.loss()));
        }
        if (!norm.isWithin(allowed.norm())) {
            failures.add(norm.tooFar(allowed.norm()));
        }
        if (gradient != null && !gradient.isWithin(allowed.gradient())) {
            failures.add(gradient.tooFar(allowed.gradient()));
        }
        return failures;
    }

    /** The cells of a table row. */
    String cells() {
        return loss.cells(allowed.loss())
                + norm.cells(allowed.norm())
                + (gradient == null ? "  |  |" : gradient.cells(allowed.gradient()));
    }
}
