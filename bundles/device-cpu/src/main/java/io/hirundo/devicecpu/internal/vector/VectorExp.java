package io.hirundo.devicecpu.internal.vector;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The exponential of FP32 numbers, by address. {@code x = n ln 2 + r} with whole n (Cody and Waite 1980, two-part ln 2), the
 * Taylor polynomial of degree 7 for {@code exp(r), |r| <= ln(2)/2} (truncation 5e-9), and a multiplication by {@code 2^n}.
 * Relative error below 1.2e-7 in [-87.3, 88.3]; 0 below, as subnormals are not made; infinity above; NaN stays NaN.
 */
public final class VectorExp {
    /** Adding this leaves round-to-even(x) + 127 in the low bits: the exponent field of 2^x. */
    private static final float EXPONENT_MAGIC = 0x1.8p23f + 127;

    private static final float LOG2_E = 0x1.715476p0f;
    /** ln 2 with 15 trailing zero bits, and what is left of it. */
    private static final float LN2_HIGH = 0x1.63p-1f;

    private static final float LN2_LOW = -0x1.bd0106p-13f;
    private static final float LOWEST = -87.33654f;
    private static final float HIGHEST = 89f;

    private VectorExp() {}

    /**
     * {@code to[i] = exp(factor from[i] + offset)} and {@code sum += to[i]}, for vectors i one stride apart. All in one loop
     * without helpers, so that nothing of it is ever boxed.
     *
     * @param from the first vector; may be {@code to}
     * @param strideBytes from one vector to the next, of both
     * @param offset one vector
     * @param sum one vector; its lanes are summed apart, in order of i
     */
    public static void exp(long from, long to, long strideBytes, int vectors, float factor, long offset, long sum) {
        FloatVector offsets = fromMemorySegment(FLOATS, ALL, offset, ORDER);
        FloatVector sums = fromMemorySegment(FLOATS, ALL, sum, ORDER);
        for (int i = 0; i < vectors; i++) {
            FloatVector x = fromMemorySegment(FLOATS, ALL, from, ORDER).fma(broadcast(FLOATS, factor), offsets);
            x = x.blend(HIGHEST, x.compare(VectorOperators.GT, HIGHEST));
            FloatVector exponent = x.fma(broadcast(FLOATS, LOG2_E), broadcast(FLOATS, EXPONENT_MAGIC));
            FloatVector n = exponent.sub(EXPONENT_MAGIC);
            FloatVector r = n.fma(broadcast(FLOATS, -LN2_LOW), n.fma(broadcast(FLOATS, -LN2_HIGH), x));
            FloatVector p = r.fma(broadcast(FLOATS, 1f / 5040), broadcast(FLOATS, 1f / 720));
            p = p.fma(r, broadcast(FLOATS, 1f / 120));
            p = p.fma(r, broadcast(FLOATS, 1f / 24));
            p = p.fma(r, broadcast(FLOATS, 1f / 6));
            p = p.fma(r, broadcast(FLOATS, 0.5f));
            p = p.fma(r, broadcast(FLOATS, 1f));
            p = p.fma(r, broadcast(FLOATS, 1f));
            FloatVector power = exponent.reinterpretAsInts()
                    .lanewise(VectorOperators.LSHL, 23)
                    .reinterpretAsFloats();
            FloatVector result = p.mul(power).blend(0f, x.compare(VectorOperators.LT, LOWEST));
            result.intoMemorySegment(ALL, to, ORDER);
            sums = result.add(sums);
            from += strideBytes;
            to += strideBytes;
        }
        sums.intoMemorySegment(ALL, sum, ORDER);
    }
}
