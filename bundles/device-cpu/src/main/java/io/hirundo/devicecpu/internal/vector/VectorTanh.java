package io.hirundo.devicecpu.internal.vector;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Soft caps of FP32 numbers by the hyperbolic tangent, by address. Up to 5/8 {@code tanh(x) = x + x³ q(x²)} with a polynomial q that
 * interpolates at Chebyshev's points (error 2e-8), beyond {@code 1 - 2 / (exp(2 x) + 1)} with the exponential as in {@link VectorExp};
 * 1 from 10 on. Relative error below 2e-7; NaNs propagate.
 */
public final class VectorTanh {
    /** Adding this leaves round-to-even(x) + 127 in the low bits: the exponent field of 2^x. */
    private static final float EXPONENT_MAGIC = 0x1.8p23f + 127;

    private static final float LOG2_E = 0x1.715476p0f;
    private static final float LN2_HIGH = 0x1.63p-1f;
    private static final float LN2_LOW = -0x1.bd0106p-13f;
    private static final float SMALL = 0.625f;
    /** Here tanh is 1 in FP32. */
    private static final float ONE_FROM = 10;

    private VectorTanh() {}

    /**
     * {@code x[i] = cap tanh(x[i] / cap)}, for vectors i one stride apart. All in one loop without helpers, so that nothing of it is ever
     * boxed.
     */
    public static void cap(long x, long strideBytes, int vectors, float cap) {
        float inverse = 1 / cap;
        for (int i = 0; i < vectors; i++) {
            FloatVector y = fromMemorySegment(FLOATS, ALL, x, ORDER).mul(inverse);
            FloatVector size = y.abs();
            FloatVector square = y.mul(y);
            FloatVector q = square.fma(broadcast(FLOATS, -0.006096714f), broadcast(FLOATS, 0.020997180f));
            q = q.fma(square, broadcast(FLOATS, -0.053850908f));
            q = q.fma(square, broadcast(FLOATS, 0.13332769f));
            q = q.fma(square, broadcast(FLOATS, -0.33333328f));
            FloatVector small = y.mul(square).fma(q, y);
            FloatVector twice = size.blend(ONE_FROM, size.compare(VectorOperators.GT, ONE_FROM))
                    .mul(2f);
            FloatVector exponent = twice.fma(broadcast(FLOATS, LOG2_E), broadcast(FLOATS, EXPONENT_MAGIC));
            FloatVector n = exponent.sub(EXPONENT_MAGIC);
            FloatVector r = n.fma(broadcast(FLOATS, -LN2_LOW), n.fma(broadcast(FLOATS, -LN2_HIGH), twice));
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
            FloatVector large = broadcast(FLOATS, 1f)
                    .sub(broadcast(FLOATS, 2f).div(p.mul(power).add(1f)));
            FloatVector signed = large.blend(large.neg(), y.compare(VectorOperators.LT, 0f));
            FloatVector tanh = small.blend(signed, size.compare(VectorOperators.GT, SMALL));
            tanh.mul(cap).intoMemorySegment(ALL, x, ORDER);
            x += strideBytes;
        }
    }

    /** {@code into *= 1 - (capped inverseCap)²}. */
    public static void multiplyBySlope(long capped, float inverseCap, int count, long into) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector share =
                    fromMemorySegment(FLOATS, ALL, capped + i * 4L, ORDER).mul(inverseCap);
            FloatVector slope = share.mul(share).neg().add(1f);
            fromMemorySegment(FLOATS, ALL, into + i * 4L, ORDER)
                    .mul(slope)
                    .intoMemorySegment(ALL, into + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            float share = Memory.getFloat(capped + i * 4L) * inverseCap;
            Memory.setFloat(into + i * 4L, Memory.getFloat(into + i * 4L) * (1 - share * share));
        }
    }
}
