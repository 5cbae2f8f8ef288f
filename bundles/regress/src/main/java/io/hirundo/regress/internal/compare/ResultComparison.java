package io.hirundo.regress.internal.compare;

import io.hirundo.event.TrainingEvent.FingerprintsTaken;
import io.hirundo.event.TrainingEvent.TensorFingerprint;
import io.hirundo.lib.oracle.FingerprintDifference;
import io.hirundo.regress.internal.compare.Difference.Kind;
import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.golden.StepRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A comparison of the numbers of two results.
 *
 * @param incomparable why they cannot be compared; empty if they can
 * @param differences ordered by step, and within a step by {@link Kind} and position in the model; empty if the results are bitwise equal
 */
public record ResultComparison(String incomparable, List<Difference> differences) {
    public ResultComparison {
        differences = List.copyOf(differences);
    }

    /** {@code expected}: the reference of relative differences. */
    public static ResultComparison of(CaseRecord expected, CaseRecord actual) {
        if (expected.steps().size() != actual.steps().size()) {
            return new ResultComparison(
                    "it has " + actual.steps().size() + " steps instead of "
                            + expected.steps().size(),
                    List.of());
        }
        return new Work(expected, Noise.between(expected, actual)).compare(actual);
    }

    public boolean isBitwise() {
        return incomparable.isEmpty() && differences.isEmpty();
    }

    public boolean isWithinNoise() {
        return incomparable.isEmpty() && differences.stream().noneMatch(Difference::isBeyondNoise);
    }

    /** The largest difference, in units of the noise. */
    public double timesNoise() {
        return differences.stream()
                .mapToDouble(Difference::timesNoise)
                .reduce(0, (a, b) -> Double.compare(b, a) > 0 ? b : a);
    }

    /** The differences of the first step with a difference beyond the noise, or else of the first step with any difference. */
    public List<Difference> first() {
        Optional<Difference> beyond =
                differences.stream().filter(Difference::isBeyondNoise).findFirst();
        return beyond.or(() -> differences.stream().findFirst())
                .map(first -> differences.stream()
                        .filter(each -> each.step() == first.step() && each.isBeyondNoise() == first.isBeyondNoise())
                        .toList())
                .orElse(List.of());
    }

    /** The largest of these differences. */
    public static Difference largest(List<Difference> some) {
        return some.stream()
                .max(Comparator.comparingDouble(Difference::timesNoise))
                .orElseThrow();
    }

    private record Work(CaseRecord expected, Noise noise) {
        ResultComparison compare(CaseRecord actual) {
            var found = new ArrayList<Difference>();
            double rates = 0;
            for (int i = 0; i < expected.steps().size(); i++) {
                StepRecord was = expected.steps().get(i);
                StepRecord is = actual.steps().get(i);
                long step = was.step();
                rates += Math.abs(was.learningRate());
                FingerprintsTaken before = expected.fingerprintsOf(step);
                FingerprintsTaken after = actual.fingerprintsOf(step);
                if ((before == null) != (after == null)) {
                    return new ResultComparison(
                            "only one of both has fingerprints of step " + step
                                    + "; give both the same fingerprints.steps",
                            List.of());
                }
                figure(step, Kind.LOSS, was.loss(), is.loss(), noise.ofLoss(step), found);
                String odd =
                        before == null ? "" : tensors(before.gradients(), after.gradients(), gradientsOf(step), found);
                figure(step, Kind.GRADIENT_NORM, was.gradientNorm(), is.gradientNorm(), noise.ofScale(step), found);
                odd = odd.isEmpty() && before != null
                        ? tensors(before.weights(), after.weights(), weightsOf(step, rates), found)
                        : odd;
                if (!odd.isEmpty()) {
                    return new ResultComparison(odd, List.of());
                }
            }
            return new ResultComparison("", found);
        }

        private static void figure(
                long step, Kind kind, double was, double is, double allowed, List<Difference> found) {
            if (Double.compare(was, is) != 0) {
                double relative = Math.abs(is - was) / Math.abs(was);
                found.add(new Difference(step, kind, "", relative, 0, relative / allowed));
            }
        }

        /** Creates the difference of a tensor with unequal fingerprints. */
        private interface Judge {
            Difference difference(TensorFingerprint was, TensorFingerprint is);
        }

        private Judge gradientsOf(long step) {
            return (was, is) -> difference(step, Kind.GRADIENT, was, is, noise.ofGradient(step), noise.ofScale(step));
        }

        private Judge weightsOf(long step, double rates) {
            return (was, is) -> {
                double allowed = noise.ofWeight(step, rates, was);
                return difference(step, Kind.WEIGHT, was, is, allowed, allowed);
            };
        }

        private static Difference difference(
                long step,
                Kind kind,
                TensorFingerprint was,
                TensorFingerprint is,
                double allowed,
                double allowedScale) {
            var difference = FingerprintDifference.between(was, is);
            double share = Math.max(difference.relative() / allowed, Math.abs(difference.scale()) / allowedScale);
            return new Difference(step, kind, was.tensor(), difference.relative(), difference.scale(), share);
        }

        /** Returns the name of a tensor that only one of the results has, or an empty text. */
        private static String tensors(
                List<TensorFingerprint> before, List<TensorFingerprint> after, Judge judge, List<Difference> found) {
            Map<String, TensorFingerprint> byName = new HashMap<>();
            after.forEach(each -> byName.put(each.tensor(), each));
            for (TensorFingerprint was : before) {
                TensorFingerprint is = byName.remove(was.tensor());
                if (is == null || is.elements() != was.elements()) {
                    return "tensor " + was.tensor()
                            + (is == null
                                    ? " is missing"
                                    : " has " + is.elements() + " elements instead of " + was.elements());
                }
                if (!FingerprintDifference.isSame(was, is)) {
                    found.add(judge.difference(was, is));
                }
            }
            return byName.isEmpty()
                    ? ""
                    : "tensor " + byName.keySet().iterator().next() + " is new";
        }
    }
}
