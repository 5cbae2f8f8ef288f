package io.hirundo.lib.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingEvent.TensorFingerprint;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FingerprintDifferenceTest {
    private static final int ELEMENTS = 1_000;

    private final double[] values = new Random(1).doubles(ELEMENTS, -1, 1).toArray();

    @Test
    void scaleIsThatOfTheTensor() {
        double[] larger = Arrays.stream(values).map(value -> 1.01 * value).toArray();
        var difference = FingerprintDifference.between(fingerprint("a", values), fingerprint("a", larger));

        assertEquals(0.01, difference.scale(), 1e-12);
    }

    /** In the mean over tensors of other names, which have other signs; and nearly always to within a factor of two. */
    @Test
    void estimatesTheNormOfTheDifference() {
        double[] other = values.clone();
        other[17] += 0.5;
        other[900] -= 1;
        double norm =
                Math.sqrt(Arrays.stream(values).map(value -> value * value).sum());
        double expected = Math.sqrt(0.5 * 0.5 + 1) / norm;
        double squares = 0;
        int near = 0;
        int tensors = 1_000;
        for (int i = 0; i < tensors; i++) {
            double found = FingerprintDifference.between(fingerprint("t" + i, values), fingerprint("t" + i, other))
                    .relative();
            squares += found * found;
            near += found > expected / 2 && found < 2 * expected ? 1 : 0;
        }
        assertEquals(expected, Math.sqrt(squares / tensors), 0.03 * expected);
        assertTrue(near > 0.97 * tensors, "near in " + near);
    }

    @Test
    void shardsAddUpToTheTensor() {
        var sums = new FingerprintSums("a");
        sums.add(600, Arrays.copyOfRange(values, 600, ELEMENTS), 400);
        var first = sums.empty();
        first.add(0, values, 600);
        sums.add(first);
        var whole = fingerprint("a", values);
        var difference = FingerprintDifference.between(whole, FingerprintSums.fingerprint("a", sums.toArray(), 0));

        assertEquals(0, difference.relative(), 1e-14);
        assertEquals(0, difference.scale(), 1e-14);
    }

    @Test
    void elementsThatChangePlacesAreNoticed() {
        double[] swapped = values.clone();
        swapped[3] = values[4];
        swapped[4] = values[3];
        var difference = FingerprintDifference.between(fingerprint("a", values), fingerprint("a", swapped));

        assertTrue(difference.relative() > 1e-3, difference::toString);
        assertEquals(0, difference.scale(), 1e-14);
    }

    private static TensorFingerprint fingerprint(String tensor, double[] values) {
        var sums = new FingerprintSums(tensor);
        sums.add(0, values, values.length);
        return FingerprintSums.fingerprint(tensor, sums.toArray(), 0);
    }
}
