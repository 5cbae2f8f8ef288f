package io.hirundo.lib.engine.tensors;

import io.hirundo.model.parameter.Initialization;
import java.nio.charset.StandardCharsets;

/**
 * Initial elements of one full tensor. Element {@code i} depends on {@code (seed, path, i)} alone: two
 * SplitMix64 draws (Steele et al. 2014, doi 10.1145/2714064.2660195) through the Box-Muller transform. {@code StrictMath} makes it
 * the same on every machine.
 */
final class InitialValues {
    private static final long FNV_OFFSET = 0xCBF29CE484222325L;
    private static final long FNV_PRIME = 0x100000001B3L;
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final long SEED_STRIDE = 0xD1342543DE82EF95L;
    private static final double UNIT = 0x1p-53;

    /**
     * Relative bound of the difference between a deviate computed by {@code Math} and by {@code StrictMath}. Both guarantee
     * logarithm and cosine within a unit in the last place, so that each of the two differs by two units of 2^-52 at the most; the root
     * halves the logarithm's. The root and two products round, by half a unit each time. That makes six units; this is sixteen.
     */
    private static final double DIFFERENCE = 0x1p-48;

    private final long base;
    private final double mean;
    private final double standardDeviation;

    InitialValues(String path, long seed, Initialization initialization) {
        base = hash(path) + seed * SEED_STRIDE;
        mean = initialization.mean();
        standardDeviation = initialization.standardDeviation();
    }

    /** Element {@code index}. */
    double at(long index) {
        if (standardDeviation == 0) {
            return mean;
        }
        double normal = StrictMath.sqrt(-2 * StrictMath.log(radiusDraw(index)))
                * StrictMath.cos(2 * Math.PI * angleDraw(index));
        return mean + standardDeviation * normal;
    }

    /**
     * {@link #at} rounded to FP32, in half the time: uses {@code Math}, whose logarithm and cosine are faster on the processor,
     * wherever both ends of the error interval round to the same value. They nearly always do, and as rounding
     * is monotonic, all values between them do too.
     */
    float floatAt(long index) {
        if (standardDeviation == 0) {
            return (float) mean;
        }
        double deviation = standardDeviation
                * (Math.sqrt(-2 * Math.log(radiusDraw(index))) * Math.cos(2 * Math.PI * angleDraw(index)));
        float least = (float) (mean + deviation * (1 - DIFFERENCE));
        float most = (float) (mean + deviation * (1 + DIFFERENCE));
        return least == most ? least : (float) at(index);
    }

    /** In (0, 1]. */
    private double radiusDraw(long index) {
        return ((mix(base + (2 * index + 1) * GOLDEN_GAMMA) >>> 11) + 1) * UNIT;
    }

    /** In [0, 1). */
    private double angleDraw(long index) {
        return (mix(base + (2 * index + 2) * GOLDEN_GAMMA) >>> 11) * UNIT;
    }

    private static long hash(String path) {
        long hash = FNV_OFFSET;
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return hash;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
