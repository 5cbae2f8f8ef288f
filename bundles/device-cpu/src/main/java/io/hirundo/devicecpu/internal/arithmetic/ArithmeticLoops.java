package io.hirundo.devicecpu.internal.arithmetic;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.vector.Lanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** Loops over one block of FP32 elements, by address. */
final class ArithmeticLoops {
    private ArithmeticLoops() {}

    /** {@code y = factor x}. */
    static void scaled(long x, float factor, int count, long y) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(factor).intoMemorySegment(ALL, y + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(y + i * 4L, getFloat(x + i * 4L) * factor);
        }
    }

    /** {@code y /= x + epsilon}. */
    static void divide(long x, float epsilon, int count, long y) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector divisor =
                    fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).add(epsilon);
            fromMemorySegment(FLOATS, ALL, y + i * 4L, ORDER).div(divisor).intoMemorySegment(ALL, y + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(y + i * 4L, getFloat(y + i * 4L) / (getFloat(x + i * 4L) + epsilon));
        }
    }

    static void squareRoot(long x, int count) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector values = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            values.lanewise(VectorOperators.SQRT).intoMemorySegment(ALL, x + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(x + i * 4L, (float) Math.sqrt(getFloat(x + i * 4L)));
        }
    }

    /** Zeros and NaNs stay as they are, as with {@link Math#signum(float)}. */
    static void sign(long x, int count) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector values = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            values.blend(1, values.compare(VectorOperators.GT, 0))
                    .blend(-1, values.compare(VectorOperators.LT, 0))
                    .intoMemorySegment(ALL, x + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            setFloat(x + i * 4L, Math.signum(getFloat(x + i * 4L)));
        }
    }
}
