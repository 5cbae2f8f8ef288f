package io.hirundo.testkit.trial;

/** Values that depend on a name and an index alone, so that each rank can compute its own. */
public final class TrialValues {
    private TrialValues() {}

    /** Between -1 and 1. */
    public static double random(String name, long index) {
        long bits = (index * 1_000_003 + name.hashCode()) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return ((bits >>> 40 | 1) - 0x1p23) * 0x1p-23;
    }

    public static double[] tensor(String name, int count) {
        var values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = random(name, i);
        }
        return values;
    }

    /**
     * Compares element by element.
     *
     * @param tolerance of each element, times the largest expected one or 1
     */
    public static void requireClose(String what, double[] expected, double[] actual, double tolerance) {
        if (expected.length != actual.length) {
            throw new AssertionError(what + " has " + actual.length + " elements, expected " + expected.length);
        }
        double largest = 1;
        for (double value : expected) {
            largest = Math.max(largest, Math.abs(value));
        }
        for (int i = 0; i < expected.length; i++) {
            if (!(Math.abs(expected[i] - actual[i]) <= tolerance * largest)) {
                throw new AssertionError(what + ": element " + i + " is " + actual[i] + ", expected " + expected[i]);
            }
        }
    }
}
