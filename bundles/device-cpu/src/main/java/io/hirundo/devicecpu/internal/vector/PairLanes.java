package io.hirundo.devicecpu.internal.vector;

import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;

import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * BF16 in pairs: a vector of ints holds two elements a lane, the first in the low half. {@code bits << 16} are the elements of even index as
 * floats, {@code bits & HIGH} those of odd index. So a load and two instructions widen two vectors, and a store takes both again, where
 * conversions between shorts and ints take twice as many. Elements rounded to nearest even, ties to even:
 *
 * <pre>
 *   bits + ((bits >>> 16) & 1) + HALF_DOWN     then >>> 16 of the even ones, and & HIGH of the odd ones
 * </pre>
 *
 * Unlike {@link ElementwiseLoops#toBf16} this needs no case for NaN, because a NaN among BF16 operands has zeros in the low bits, and arithmetic
 * copies its bits. A NaN among FP32 operands may have ones there, which overflow to 0, so loops pass these through {@link #canonical} first.
 */
public final class PairLanes {
    public static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** As many BF16 elements as there are lanes. */
    public static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));

    /** Elements of one vector of pairs. */
    public static final int COUNT = 2 * Lanes.COUNT;

    public static final int HIGH = 0xffff0000;
    public static final int HALF_DOWN = 0x7fff;

    private PairLanes() {}

    /** The same number; of any NaN the one whose rounded bits do not overflow. */
    public static float canonical(float x) {
        return Float.intBitsToFloat(Float.floatToIntBits(x));
    }

    /** The largest multiple of {@link #COUNT} that is at most {@code elements}. */
    public static int wholePairs(int elements) {
        return elements & -COUNT;
    }
}
