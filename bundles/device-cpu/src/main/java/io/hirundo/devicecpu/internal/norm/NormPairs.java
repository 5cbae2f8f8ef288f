package io.hirundo.devicecpu.internal.norm;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The loops of RMSNorm over the channels of one BF16 token, in pairs ({@link PairLanes}); by address. An object holds the weight, FP32, even
 * channels and odd ones apart.
 */
final class NormPairs {
    private final int channels;
    private final long evenWeight;
    private final long oddWeight;

    /** @param weight FP32 */
    NormPairs(long weight, int channels, Scratch scratch) {
        this.channels = channels;
        evenWeight = scratch.take(channels * 2L);
        oddWeight = scratch.take(channels * 2L);
        for (int pair = 0; pair < channels / 2; pair++) {
            setFloat(evenWeight + pair * 4L, PairLanes.canonical(getFloat(weight + pair * 8L)));
            setFloat(oddWeight + pair * 4L, PairLanes.canonical(getFloat(weight + pair * 8L + 4)));
        }
    }

    static boolean serves(int channels) {
        return channels % PairLanes.COUNT == 0;
    }

    static float sumOfSquares(long x, int channels) {
        FloatVector even = broadcast(FLOATS, 0);
        FloatVector odd = broadcast(FLOATS, 0);
        for (int i = 0; i < channels; i += PairLanes.COUNT) {
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + i * 2L, ORDER);
            FloatVector evenX = xs.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector oddX = xs.and(HIGH).reinterpretAsFloats();
            even = evenX.fma(evenX, even);
            odd = oddX.fma(oddX, odd);
        }
        return Lanes.sum(even.add(odd));
    }

    /** {@code sum = a + b}, and returns the sum of its squares as it is stored. */
    static float add(long a, long b, int channels, long sum) {
        FloatVector even = broadcast(FLOATS, 0);
        FloatVector odd = broadcast(FLOATS, 0);
        for (int i = 0; i < channels; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector as = IntVector.fromMemorySegment(INTS, ALL, a + at, ORDER);
            IntVector bs = IntVector.fromMemorySegment(INTS, ALL, b + at, ORDER);
            FloatVector evenA = as.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector oddA = as.and(HIGH).reinterpretAsFloats();
            IntVector evenSum =
                    evenA.add(bs.lanewise(LSHL, 16).reinterpretAsFloats()).reinterpretAsInts();
            IntVector oddSum = oddA.add(bs.and(HIGH).reinterpretAsFloats()).reinterpretAsInts();
            evenSum = evenSum.add(evenSum.lanewise(LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .and(HIGH);
            oddSum = oddSum.add(oddSum.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            even = evenSum.reinterpretAsFloats().fma(evenSum.reinterpretAsFloats(), even);
            odd = oddSum.reinterpretAsFloats().fma(oddSum.reinterpretAsFloats(), odd);
            evenSum.lanewise(LSHR, 16).or(oddSum).intoMemorySegment(ALL, sum + at, ORDER);
        }
        return Lanes.sum(even.add(odd));
    }

    /** {@code y = x r w}. */
    void apply(long x, float r, long y) {
        float scale = PairLanes.canonical(r);
        for (int i = 0; i < channels; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + at, ORDER);
            FloatVector evenX = xs.lanewise(LSHL, 16).reinterpretAsFloats().mul(scale);
            FloatVector oddX = xs.and(HIGH).reinterpretAsFloats().mul(scale);
            IntVector even = evenX.mul(fromMemorySegment(FLOATS, ALL, evenWeight + at, ORDER))
                    .reinterpretAsInts();
            IntVector odd = oddX.mul(fromMemorySegment(FLOATS, ALL, oddWeight + at, ORDER))
                    .reinterpretAsInts();
            even = even.add(even.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
            odd = odd.add(odd.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            even.or(odd).intoMemorySegment(ALL, y + at, ORDER);
        }
    }

    /** {@code sum of dy w x}. */
    float sumOfProducts(long dy, long x) {
        FloatVector even = broadcast(FLOATS, 0);
        FloatVector odd = broadcast(FLOATS, 0);
        for (int i = 0; i < channels; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector dys = IntVector.fromMemorySegment(INTS, ALL, dy + at, ORDER);
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + at, ORDER);
            FloatVector evenDy = dys.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector oddDy = dys.and(HIGH).reinterpretAsFloats();
            FloatVector evenProduct = evenDy.mul(fromMemorySegment(FLOATS, ALL, evenWeight + at, ORDER));
            FloatVector oddProduct = oddDy.mul(fromMemorySegment(FLOATS, ALL, oddWeight + at, ORDER));
            even = evenProduct.fma(xs.lanewise(LSHL, 16).reinterpretAsFloats(), even);
            odd = oddProduct.fma(xs.and(HIGH).reinterpretAsFloats(), odd);
        }
        return Lanes.sum(even.add(odd));
    }

    /** {@code dx = r w dy + perX x + residual}; dx may be residual, which is 0 for none. */
    void combine(long dy, long x, float r, float perX, long residual, long dx) {
        boolean adds = residual != 0;
        float scale = PairLanes.canonical(r);
        float scaleX = PairLanes.canonical(perX);
        for (int i = 0; i < channels; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector dys = IntVector.fromMemorySegment(INTS, ALL, dy + at, ORDER);
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + at, ORDER);
            FloatVector evenDy = dys.lanewise(LSHL, 16).reinterpretAsFloats().mul(scale);
            FloatVector oddDy = dys.and(HIGH).reinterpretAsFloats().mul(scale);
            FloatVector evenDirect = evenDy.mul(fromMemorySegment(FLOATS, ALL, evenWeight + at, ORDER));
            FloatVector oddDirect = oddDy.mul(fromMemorySegment(FLOATS, ALL, oddWeight + at, ORDER));
            FloatVector evenSum =
                    xs.lanewise(LSHL, 16).reinterpretAsFloats().fma(broadcast(FLOATS, scaleX), evenDirect);
            FloatVector oddSum = xs.and(HIGH).reinterpretAsFloats().fma(broadcast(FLOATS, scaleX), oddDirect);
            if (adds) {
                IntVector residuals = IntVector.fromMemorySegment(INTS, ALL, residual + at, ORDER);
                evenSum = evenSum.add(residuals.lanewise(LSHL, 16).reinterpretAsFloats());
                oddSum = oddSum.add(residuals.and(HIGH).reinterpretAsFloats());
            }
            IntVector even = evenSum.reinterpretAsInts();
            IntVector odd = oddSum.reinterpretAsInts();
            even = even.add(even.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
            odd = odd.add(odd.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            even.or(odd).intoMemorySegment(ALL, dx + at, ORDER);
        }
    }
}
