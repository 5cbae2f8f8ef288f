package io.hirundo.testkit.bench;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongToDoubleFunction;

/**
 * Normally distributed numbers by seed and index: those that {@link Random} draws. They are drawn once, because tests compare runs of the
 * same case on several devices, and drawing the numbers takes longer than most kernels that read them; the JVM keeps them until it ends, 8
 * bytes each. Safe for several threads.
 */
public final class Normals implements LongToDoubleFunction {
    private static final int LEAST = 256;
    private static final Map<Long, Normals> OF_SEEDS = new ConcurrentHashMap<>();

    private final Random random;
    private volatile double[] drawn = {};

    private Normals(long seed) {
        random = new Random(seed);
    }

    /** The numbers of a seed. */
    public static Normals of(long seed) {
        return OF_SEEDS.computeIfAbsent(seed, Normals::new);
    }

    @Override
    public double applyAsDouble(long index) {
        double[] known = drawn;
        return index < known.length ? known[(int) index] : drawTo(Math.toIntExact(index));
    }

    private synchronized double drawTo(int index) {
        double[] known = drawn;
        if (index >= known.length) {
            double[] more = Arrays.copyOf(known, Math.max(LEAST, index + index / 2 + 1));
            for (int i = known.length; i < more.length; i++) {
                more[i] = random.nextGaussian();
            }
            drawn = more;
            known = more;
        }
        return known[index];
    }
}
