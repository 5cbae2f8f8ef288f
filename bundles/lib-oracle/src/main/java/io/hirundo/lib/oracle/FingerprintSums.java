package io.hirundo.lib.oracle;

import io.hirundo.event.TrainingEvent.TensorFingerprint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A fingerprint of a tensor as it is summed: elements, sum of squares, and {@value #PROJECTIONS} sums with random signs. Everything
 * is a sum over elements, so that the shards of a tensor add up to the fingerprint of the tensor, whatever the layout is.
 *
 * <p>The signs of element {@code i} are bits of SplitMix64 (Steele et al. 2014, doi 10.1145/2714064.2660195) at position {@code i} of
 * a stream that the tensor's name seeds. A projection onto random signs keeps distances in expectation (Achlioptas 2003,
 * "Database-friendly random projections: Johnson-Lindenstrauss with binary coins", doi 10.1016/S0022-0000(03)00025-4), which
 * {@link FingerprintDifference} uses. Confined to one thread.
 */
public final class FingerprintSums {
    /** Random signs of each element. */
    public static final int PROJECTIONS = 8;

    /** Length of {@link #toArray}. */
    public static final int NUMBERS = 2 + PROJECTIONS;

    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final long seed;
    private long elements;
    private double sumOfSquares;
    private final double[] projections = new double[PROJECTIONS];

    /** Sums without elements. {@code tensor}: published name. */
    public FingerprintSums(String tensor) {
        this(seed(tensor));
    }

    private FingerprintSums(long seed) {
        this.seed = seed;
    }

    private static long seed(String tensor) {
        long hash = FNV_OFFSET;
        for (byte b : tensor.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return hash;
    }

    /** Sums of the same tensor, without elements. */
    public FingerprintSums empty() {
        return new FingerprintSums(seed);
    }

    /**
     * Adds consecutive elements.
     *
     * @param index of the first in the whole tensor, row by row
     * @param values of which the first {@code count} are added
     */
    public void add(long index, double[] values, int count) {
        double squares = 0;
        // Locals: sums in an array would be stored after each element.
        double p0 = 0;
        double p1 = 0;
        double p2 = 0;
        double p3 = 0;
        double p4 = 0;
        double p5 = 0;
        double p6 = 0;
        double p7 = 0;
        for (int i = 0; i < count; i++) {
            double value = values[i];
            squares += value * value;
            long bits = Double.doubleToRawLongBits(value);
            long signs = mix(seed + (index + i) * GOLDEN_GAMMA);
            p0 += signed(bits, signs);
            p1 += signed(bits, signs << 1);
            p2 += signed(bits, signs << 2);
            p3 += signed(bits, signs << 3);
            p4 += signed(bits, signs << 4);
            p5 += signed(bits, signs << 5);
            p6 += signed(bits, signs << 6);
            p7 += signed(bits, signs << 7);
        }
        double[] added = {p0, p1, p2, p3, p4, p5, p6, p7};
        elements += count;
        sumOfSquares += squares;
        for (int k = 0; k < PROJECTIONS; k++) {
            projections[k] += added[k];
        }
    }

    /** The value of these bits, negated where the highest bit of {@code signs} is set. */
    private static double signed(long bits, long signs) {
        return Double.longBitsToDouble(bits ^ (signs & Long.MIN_VALUE));
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Adds the sums of other elements of the same tensor. */
    public void add(FingerprintSums other) {
        elements += other.elements;
        sumOfSquares += other.sumOfSquares;
        for (int k = 0; k < PROJECTIONS; k++) {
            projections[k] += other.projections[k];
        }
    }

    /** Elements, sum of squares, projections: what ranks add up. Counts are exact below 2^53. */
    public double[] toArray() {
        double[] numbers = new double[NUMBERS];
        numbers[0] = elements;
        numbers[1] = sumOfSquares;
        System.arraycopy(projections, 0, numbers, 2, PROJECTIONS);
        return numbers;
    }

    /** A fingerprint from numbers in the order of {@link #toArray}, which begin at {@code at}. */
    public static TensorFingerprint fingerprint(String tensor, double[] numbers, int at) {
        List<Double> projections = new ArrayList<>();
        Arrays.stream(numbers, at + 2, at + NUMBERS).forEach(projections::add);
        return new TensorFingerprint(tensor, (long) numbers[at], numbers[at + 1], projections);
    }
}
