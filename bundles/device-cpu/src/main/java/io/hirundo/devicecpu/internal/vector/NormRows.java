package io.hirundo.devicecpu.internal.vector;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import jdk.incubator.vector.FloatVector;

/** The loops of RMSNorm over the channels of one token; FP32, by address. */
public final class NormRows {
    private static final int STEP = 2 * Lanes.COUNT;

    private NormRows() {}

    public static float sumOfSquares(long x, int count) {
        int pairs = count & -STEP;
        FloatVector even = broadcast(FLOATS, 0);
        FloatVector odd = broadcast(FLOATS, 0);
        for (int i = 0; i < pairs; i += STEP) {
            FloatVector first = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            FloatVector second = fromMemorySegment(FLOATS, ALL, x + i * 4L + Lanes.BYTES, ORDER);
            even = first.fma(first, even);
            odd = second.fma(second, odd);
        }
        float rest = 0;
        for (int i = pairs; i < count; i++) {
            float value = getFloat(x + i * 4L);
            rest += value * value;
        }
        return Lanes.sum(even.add(odd)) + rest;
    }

    /** {@code sum of a b c}. */
    public static float sumOfProducts(long a, long b, long c, int count) {
        int pairs = count & -STEP;
        FloatVector even = broadcast(FLOATS, 0);
        FloatVector odd = broadcast(FLOATS, 0);
        for (int i = 0; i < pairs; i += STEP) {
            long at = i * 4L;
            long next = at + Lanes.BYTES;
            FloatVector a1 = fromMemorySegment(FLOATS, ALL, a + at, ORDER);
            FloatVector a2 = fromMemorySegment(FLOATS, ALL, a + next, ORDER);
            FloatVector ab1 = a1.mul(fromMemorySegment(FLOATS, ALL, b + at, ORDER));
            FloatVector ab2 = a2.mul(fromMemorySegment(FLOATS, ALL, b + next, ORDER));
            even = ab1.fma(fromMemorySegment(FLOATS, ALL, c + at, ORDER), even);
            odd = ab2.fma(fromMemorySegment(FLOATS, ALL, c + next, ORDER), odd);
        }
        float rest = 0;
        for (int i = pairs; i < count; i++) {
            rest += getFloat(a + i * 4L) * getFloat(b + i * 4L) * getFloat(c + i * 4L);
        }
        return Lanes.sum(even.add(odd)) + rest;
    }

    /** {@code sum = a + b}; sum may be either. */
    public static void add(long a, long b, int count, long sum) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector x = fromMemorySegment(FLOATS, ALL, a + at, ORDER);
            x.add(fromMemorySegment(FLOATS, ALL, b + at, ORDER)).intoMemorySegment(ALL, sum + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(sum + i * 4L, getFloat(a + i * 4L) + getFloat(b + i * 4L));
        }
    }

    /** {@code y = x r w}. */
    public static void apply(long x, long weight, float r, int count, long y) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector scaled = fromMemorySegment(FLOATS, ALL, x + at, ORDER).mul(r);
            scaled.mul(fromMemorySegment(FLOATS, ALL, weight + at, ORDER)).intoMemorySegment(ALL, y + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(y + i * 4L, getFloat(x + i * 4L) * r * getFloat(weight + i * 4L));
        }
    }

    /** {@code dx = r w dy + perX x}. */
    public static void combine(long dy, long weight, long x, float r, float perX, int count, long dx) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector scaled = fromMemorySegment(FLOATS, ALL, dy + at, ORDER).mul(r);
            FloatVector direct = scaled.mul(fromMemorySegment(FLOATS, ALL, weight + at, ORDER));
            FloatVector own = fromMemorySegment(FLOATS, ALL, x + at, ORDER).fma(broadcast(FLOATS, perX), direct);
            own.intoMemorySegment(ALL, dx + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = i * 4L;
            setFloat(dx + at, getFloat(dy + at) * r * getFloat(weight + at) + perX * getFloat(x + at));
        }
    }

    /** {@code dx = r w dy + perX x + residual}; dx may be residual. */
    public static void combineAndAdd(
            long dy, long weight, long x, float r, float perX, long residual, int count, long dx) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector scaled = fromMemorySegment(FLOATS, ALL, dy + at, ORDER).mul(r);
            FloatVector direct = scaled.mul(fromMemorySegment(FLOATS, ALL, weight + at, ORDER));
            FloatVector own = fromMemorySegment(FLOATS, ALL, x + at, ORDER).fma(broadcast(FLOATS, perX), direct);
            own.add(fromMemorySegment(FLOATS, ALL, residual + at, ORDER)).intoMemorySegment(ALL, dx + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = i * 4L;
            float own = getFloat(dy + at) * r * getFloat(weight + at) + perX * getFloat(x + at);
            setFloat(dx + at, own + getFloat(residual + at));
        }
    }
}
