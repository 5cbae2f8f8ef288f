package io.hirundo.devicecpu.internal.loss;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.vector.FastExp.EXPONENT_MAGIC;
import static io.hirundo.devicecpu.internal.vector.FastExp.LOG2_E;
import static io.hirundo.devicecpu.internal.vector.FastExp.LOWEST;
import static io.hirundo.devicecpu.internal.vector.FastExp.P0;
import static io.hirundo.devicecpu.internal.vector.FastExp.P1;
import static io.hirundo.devicecpu.internal.vector.FastExp.P2;
import static io.hirundo.devicecpu.internal.vector.FastExp.P3;
import static io.hirundo.devicecpu.internal.vector.FastExp.P4;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;

import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The loops of softmax over one row of BF16 logits, in pairs ({@link PairLanes}) with {@code FastExp}; by address. An object holds a task's
 * scratch memory: a row of exponentials, of {@link PairLanes#COUNT} elements first those of even index, then those of odd index.
 */
final class PairedRow {
    /** Elements whose exponentials are summed in FP32 before they go to the FP64 sum of the row. */
    private static final int CHUNK = 64 * PairLanes.COUNT;

    private final int count;
    private final long exponentials;
    private final long lanes;

    /** @param count logits of a row */
    PairedRow(int count, Scratch scratch) {
        this.count = count;
        exponentials = scratch.take(count * 4L);
        lanes = scratch.take(Lanes.BYTES);
    }

    static boolean serves(int count) {
        return count % PairLanes.COUNT == 0;
    }

    /** The largest logit. Ignores NaN; the exponentials keep it. */
    float max(long row) {
        FloatVector even = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        FloatVector odd = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int i = 0; i < count; i += PairLanes.COUNT) {
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, row + i * 2L, ORDER);
            FloatVector evenX = xs.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector oddX = xs.and(HIGH).reinterpretAsFloats();
            even = even.blend(evenX, evenX.compare(GT, even));
            odd = odd.blend(oddX, oddX.compare(GT, odd));
        }
        even.blend(odd, odd.compare(GT, even)).intoMemorySegment(ALL, lanes, ORDER);
        float max = Float.NEGATIVE_INFINITY;
        for (int lane = 0; lane < Lanes.COUNT; lane++) {
            float value = getFloat(lanes + lane * 4L);
            max = value > max ? value : max;
        }
        return max;
    }

    /** Computes {@code exp(x - max)} and returns their sum. */
    double exponentiate(long row, float max) {
        double total = 0;
        for (int first = 0; first < count; first += CHUNK) {
            exponentiate(row, first, Math.min(count, first + CHUNK), max);
            for (int lane = 0; lane < Lanes.COUNT; lane++) {
                total += getFloat(lanes + lane * 4L);
            }
        }
        return total;
    }

    /** The maximum is subtracted first: -max LOG2_E, rounded once, would shift every exponential of a row the same way. */
    private void exponentiate(long row, int first, int end, float max) {
        FloatVector evenSum = broadcast(FLOATS, 0);
        FloatVector oddSum = broadcast(FLOATS, 0);
        for (int i = first; i < end; i += PairLanes.COUNT) {
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, row + i * 2L, ORDER);
            FloatVector evenX =
                    xs.lanewise(LSHL, 16).reinterpretAsFloats().sub(max).mul(LOG2_E);
            FloatVector exponent = evenX.add(EXPONENT_MAGIC);
            FloatVector f = evenX.sub(exponent.sub(EXPONENT_MAGIC));
            FloatVector p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            FloatVector even =
                    p.mul(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats());
            even = even.blend(0f, evenX.compare(LT, LOWEST));
            even.intoMemorySegment(ALL, exponentials + i * 4L, ORDER);
            evenSum = evenSum.add(even);
            FloatVector oddX = xs.and(HIGH).reinterpretAsFloats().sub(max).mul(LOG2_E);
            exponent = oddX.add(EXPONENT_MAGIC);
            f = oddX.sub(exponent.sub(EXPONENT_MAGIC));
            p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            FloatVector odd =
                    p.mul(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats());
            odd = odd.blend(0f, oddX.compare(LT, LOWEST));
            odd.intoMemorySegment(ALL, exponentials + i * 4L + Lanes.BYTES, ORDER);
            oddSum = oddSum.add(odd);
        }
        evenSum.add(oddSum).intoMemorySegment(ALL, lanes, ORDER);
    }

    /** Of the element of this index. */
    float exponential(int index) {
        int inPair = index % PairLanes.COUNT;
        return getFloat(exponentials + (index - inPair) * 4L + inPair % 2 * Lanes.BYTES + inPair / 2 * 4L);
    }

    /** {@code x = factor exponential}, rounded. */
    void write(float factor, long row) {
        float scale = PairLanes.canonical(factor);
        for (int i = 0; i < count; i += PairLanes.COUNT) {
            IntVector even = fromMemorySegment(FLOATS, ALL, exponentials + i * 4L, ORDER)
                    .mul(scale)
                    .reinterpretAsInts();
            IntVector odd = fromMemorySegment(FLOATS, ALL, exponentials + i * 4L + Lanes.BYTES, ORDER)
                    .mul(scale)
                    .reinterpretAsInts();
            even = even.add(even.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
            odd = odd.add(odd.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            even.or(odd).intoMemorySegment(ALL, row + i * 2L, ORDER);
        }
    }
}
