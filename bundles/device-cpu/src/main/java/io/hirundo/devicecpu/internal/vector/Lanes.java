package io.hirundo.devicecpu.internal.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * FP32 vectors of the machine's width. Loops call the Vector API itself, not through helpers: once the JIT compiler (C2) has
 * inlined some 8,000 bytecodes into one method it inlines only what the JDK marks as forced, and a vector that enters or
 * leaves any other method is boxed, at a tenth of the speed.
 */
public final class Lanes {
    public static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    public static final int COUNT = FLOATS.length();
    public static final int BYTES = FLOATS.vectorByteSize();

    private static final VectorShuffle<Float> BY_8 = rotation(8);
    private static final VectorShuffle<Float> BY_4 = rotation(4);
    private static final VectorShuffle<Float> BY_2 = rotation(2);
    private static final VectorShuffle<Float> BY_1 = rotation(1);

    private Lanes() {}

    /** The first {@code remaining} lanes. */
    public static VectorMask<Float> tail(int remaining) {
        return FLOATS.indexInRange(0, remaining);
    }

    /** The largest multiple of the lane count that is at most {@code elements}. */
    public static int wholeVectors(int elements) {
        return elements & -COUNT;
    }

    /** {@code elements} rounded up to whole vectors. */
    public static int padded(int elements) {
        return (elements + COUNT - 1) & -COUNT;
    }

    /** The sum of the lanes, pairwise: lane l with l + count/2, and so on. For the end of a loop, not its inside. */
    public static float sum(FloatVector v) {
        FloatVector sum = v;
        if (COUNT > 8) {
            sum = sum.add(sum.rearrange(BY_8));
        }
        if (COUNT > 4) {
            sum = sum.add(sum.rearrange(BY_4));
        }
        if (COUNT > 2) {
            sum = sum.add(sum.rearrange(BY_2));
        }
        return sum.add(sum.rearrange(BY_1)).lane(0);
    }

    private static VectorShuffle<Float> rotation(int distance) {
        return VectorShuffle.fromOp(FLOATS, lane -> (lane + distance) % FLOATS.length());
    }
}
