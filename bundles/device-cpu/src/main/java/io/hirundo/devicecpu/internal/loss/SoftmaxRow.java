package io.hirundo.devicecpu.internal.loss;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/** The loops of softmax over one row; FP32, by address. An object holds a task's scratch memory. */
final class SoftmaxRow {
    /** Vectors whose exponentials are summed in FP32 before they go to the FP64 sum of the row. */
    private static final int CHUNK_VECTORS = 64;

    private static final int CHUNK = CHUNK_VECTORS * Lanes.COUNT;
    private static final int STEP = 4 * Lanes.COUNT;

    private final long offset;
    private final long sum;
    private final long rest;
    private final long unused;

    SoftmaxRow(Scratch scratch) {
        offset = scratch.take(Lanes.BYTES);
        sum = scratch.take(Lanes.BYTES);
        rest = scratch.take(Lanes.BYTES);
        unused = scratch.take(CHUNK * 4L);
    }

    /** The largest element. NaN is passed over; the exponentials keep it. */
    float max(long row, int count) {
        int fours = count & -STEP;
        FloatVector max0 = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        FloatVector max1 = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        FloatVector max2 = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        FloatVector max3 = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < fours; i += STEP) {
            long at = row + i * 4L;
            FloatVector x0 = fromMemorySegment(FLOATS, ALL, at, ORDER);
            FloatVector x1 = fromMemorySegment(FLOATS, ALL, at + Lanes.BYTES, ORDER);
            FloatVector x2 = fromMemorySegment(FLOATS, ALL, at + 2 * Lanes.BYTES, ORDER);
            FloatVector x3 = fromMemorySegment(FLOATS, ALL, at + 3 * Lanes.BYTES, ORDER);
            // Two instructions, where lanewise(MAX) with its rules for NaN takes seven.
            max0 = max0.blend(x0, x0.compare(VectorOperators.GT, max0));
            max1 = max1.blend(x1, x1.compare(VectorOperators.GT, max1));
            max2 = max2.blend(x2, x2.compare(VectorOperators.GT, max2));
            max3 = max3.blend(x3, x3.compare(VectorOperators.GT, max3));
        }
        max0 = max0.blend(max1, max1.compare(VectorOperators.GT, max0));
        max2 = max2.blend(max3, max3.compare(VectorOperators.GT, max2));
        max0.blend(max2, max2.compare(VectorOperators.GT, max0)).intoMemorySegment(ALL, rest, ORDER);
        float max = Float.NEGATIVE_INFINITY;
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            float value = getFloat(rest + lane * 4L);
            max = value > max ? value : max;
        }
        for (int i = fours; i < count; i++) {
            float value = getFloat(row + i * 4L);
            max = value > max ? value : max;
        }
        return max;
    }

    /** Replaces each x by {@code exp(x - max)} and returns their sum. */
    double exponentiate(long row, int count, float max) {
        return exponentiate(row, count, max, true);
    }

    /** {@code sum of exp(x - max)}. */
    double sumOfExponentials(long row, int count, float max) {
        return exponentiate(row, count, max, false);
    }

    private double exponentiate(long row, int count, float max, boolean replace) {
        broadcast(FLOATS, -max).intoMemorySegment(ALL, offset, ORDER);
        int whole = Lanes.wholeVectors(count);
        double total = 0;
        for (int first = 0; first < whole; first += CHUNK) {
            long chunk = row + first * 4L;
            int vectors = Math.min(CHUNK, whole - first) / Lanes.COUNT;
            broadcast(FLOATS, 0).intoMemorySegment(ALL, sum, ORDER);
            VectorExp.exp(chunk, replace ? chunk : unused, Lanes.BYTES, vectors, 1, offset, sum);
            total += sumOfLanes();
        }
        return whole < count ? total + exponentiateRest(row + whole * 4L, count - whole, replace) : total;
    }

    private double exponentiateRest(long x, int count, boolean replace) {
        broadcast(FLOATS, Float.NEGATIVE_INFINITY).intoMemorySegment(ALL, rest, ORDER);
        broadcast(FLOATS, 0).intoMemorySegment(ALL, sum, ORDER);
        Memory.copy(x, rest, count * 4L);
        VectorExp.exp(rest, rest, Lanes.BYTES, 1, 1, offset, sum);
        if (replace) {
            Memory.copy(rest, x, count * 4L);
        }
        return sumOfLanes();
    }

    private double sumOfLanes() {
        double total = 0;
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            total += getFloat(sum + lane * 4L);
        }
        return total;
    }
}
