package io.hirundo.devicecpu.internal.attention.library;

import static io.hirundo.devicecpu.internal.attention.AttentionTiles.SCORE_ROW;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.SHORTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.vector.FastExp;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The loops between two GEMMs, each in one pass: one vector of queries by some keys of a block, by address. Results are rounded to BF16
 * with ties away from zero, two instructions instead of five; of these values one in 65,536 is a tie. A NaN among the scores propagates,
 * because GEMMs of BF16 operands give no NaN whose bits would overflow.
 */
final class ScoreLoops {
    /** Bytes from one key to the next in a block of rounded values. */
    static final long ROUNDED_ROW = SCORE_ROW / 2;

    private static final int HALF_STEP = 0x8000;

    private ScoreLoops() {}

    /** {@code maximum = max(maximum, factor max of scores)}, one vector; factor is positive. Ignores NaN. */
    static void max(long scores, int keys, float factor, long maximum) {
        int pairs = keys & -2;
        FloatVector even = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        FloatVector odd = broadcast(FLOATS, Float.NEGATIVE_INFINITY);
        for (int key = 0; key < pairs; key += 2) {
            FloatVector first = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER);
            FloatVector second = fromMemorySegment(FLOATS, ALL, scores + (key + 1) * SCORE_ROW, ORDER);
            // Two instructions, where lanewise(MAX) with its rules for NaN takes seven.
            even = even.blend(first, first.compare(VectorOperators.GT, even));
            odd = odd.blend(second, second.compare(VectorOperators.GT, odd));
        }
        if (pairs < keys) {
            FloatVector last = fromMemorySegment(FLOATS, ALL, scores + pairs * SCORE_ROW, ORDER);
            even = even.blend(last, last.compare(VectorOperators.GT, even));
        }
        FloatVector max = even.blend(odd, odd.compare(VectorOperators.GT, even)).mul(factor);
        FloatVector old = fromMemorySegment(FLOATS, ALL, maximum, ORDER);
        old.blend(max, max.compare(VectorOperators.GT, old)).intoMemorySegment(ALL, maximum, ORDER);
    }

    /**
     * {@code shift = -maximum}, and {@code rescale += shift}, the exponent by which older sums are multiplied; one vector each.
     *
     * @param rescale holds the maximum before
     */
    static void shift(long maximum, long shift, long rescale) {
        FloatVector max = fromMemorySegment(FLOATS, ALL, maximum, ORDER);
        // A query that has seen no key yet: minus infinity less minus infinity would be NaN.
        FloatVector shifted = max.blend(0f, max.compare(VectorOperators.EQ, Float.NEGATIVE_INFINITY))
                .neg();
        shifted.intoMemorySegment(ALL, shift, ORDER);
        fromMemorySegment(FLOATS, ALL, rescale, ORDER).add(shifted).intoMemorySegment(ALL, rescale, ORDER);
    }

    /**
     * {@code rounded = exp(factor score + shift)} and {@code sum += exp(factor score + shift)}.
     *
     * @param shift one vector, minus the running maximum of {@code factor score}; rounding may bring an exponential slightly above 1
     * @param sum one vector, of exponentials before they are rounded
     */
    static void exponentiate(long scores, int keys, float factor, long shift, long sum, long rounded) {
        FloatVector shifts = fromMemorySegment(FLOATS, ALL, shift, ORDER).mul(FastExp.LOG2_E);
        FloatVector sums = fromMemorySegment(FLOATS, ALL, sum, ORDER);
        float binary = factor * FastExp.LOG2_E;
        for (int key = 0; key < keys; key++) {
            FloatVector x = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER)
                    .fma(broadcast(FLOATS, binary), shifts);
            FloatVector exponent = x.add(FastExp.EXPONENT_MAGIC);
            FloatVector f = x.sub(exponent.sub(FastExp.EXPONENT_MAGIC));
            FloatVector p = f.fma(broadcast(FLOATS, FastExp.P4), broadcast(FLOATS, FastExp.P3));
            p = p.fma(f, broadcast(FLOATS, FastExp.P2));
            p = p.fma(f, broadcast(FLOATS, FastExp.P1));
            p = p.fma(f, broadcast(FLOATS, FastExp.P0));
            FloatVector power = exponent.reinterpretAsInts()
                    .lanewise(VectorOperators.LSHL, 23)
                    .reinterpretAsFloats();
            FloatVector y = p.mul(power).blend(0f, x.compare(VectorOperators.LT, FastExp.LOWEST));
            sums = sums.add(y);
            ((ShortVector) y.reinterpretAsInts()
                            .add(HALF_STEP)
                            .lanewise(VectorOperators.LSHR, 16)
                            .convertShape(VectorOperators.I2S, SHORTS, 0))
                    .intoMemorySegment(ALL, rounded + key * ROUNDED_ROW, ORDER);
        }
        sums.intoMemorySegment(ALL, sum, ORDER);
    }

    /**
     * Probabilities {@code p = exp(factor score + shift)} and the gradients {@code factor p (dp - delta)} of scores before they are scaled.
     *
     * @param gradients dp, of probabilities
     * @param shift one vector, minus the logarithm of a query's sum of exponentials
     * @param delta one vector
     */
    static void gradients(
            long scores,
            long gradients,
            int keys,
            float factor,
            long shift,
            long delta,
            long roundedProbabilities,
            long roundedGradients) {
        FloatVector shifts = fromMemorySegment(FLOATS, ALL, shift, ORDER).mul(FastExp.LOG2_E);
        FloatVector deltas = fromMemorySegment(FLOATS, ALL, delta, ORDER).mul(-factor);
        float binary = factor * FastExp.LOG2_E;
        for (int key = 0; key < keys; key++) {
            FloatVector x = fromMemorySegment(FLOATS, ALL, scores + key * SCORE_ROW, ORDER)
                    .fma(broadcast(FLOATS, binary), shifts);
            FloatVector exponent = x.add(FastExp.EXPONENT_MAGIC);
            FloatVector f = x.sub(exponent.sub(FastExp.EXPONENT_MAGIC));
            FloatVector p = f.fma(broadcast(FLOATS, FastExp.P4), broadcast(FLOATS, FastExp.P3));
            p = p.fma(f, broadcast(FLOATS, FastExp.P2));
            p = p.fma(f, broadcast(FLOATS, FastExp.P1));
            p = p.fma(f, broadcast(FLOATS, FastExp.P0));
            FloatVector power = exponent.reinterpretAsInts()
                    .lanewise(VectorOperators.LSHL, 23)
                    .reinterpretAsFloats();
            FloatVector y = p.mul(power).blend(0f, x.compare(VectorOperators.LT, FastExp.LOWEST));
            FloatVector slope = fromMemorySegment(FLOATS, ALL, gradients + key * SCORE_ROW, ORDER)
                    .fma(broadcast(FLOATS, factor), deltas);
            ((ShortVector) y.reinterpretAsInts()
                            .add(HALF_STEP)
                            .lanewise(VectorOperators.LSHR, 16)
                            .convertShape(VectorOperators.I2S, SHORTS, 0))
                    .intoMemorySegment(ALL, roundedProbabilities + key * ROUNDED_ROW, ORDER);
            ((ShortVector) y.mul(slope)
                            .reinterpretAsInts()
                            .add(HALF_STEP)
                            .lanewise(VectorOperators.LSHR, 16)
                            .convertShape(VectorOperators.I2S, SHORTS, 0))
                    .intoMemorySegment(ALL, roundedGradients + key * ROUNDED_ROW, ORDER);
        }
    }

    /** Zeros for some keys of one vector of queries. */
    static void zero(long rounded, int keys) {
        ShortVector zeros = ShortVector.zero(SHORTS);
        for (int key = 0; key < keys; key++) {
            zeros.intoMemorySegment(ALL, rounded + key * ROUNDED_ROW, ORDER);
        }
    }

    /** {@code to = factor from}, one row; rounded to nearest even. */
    static void write(long from, int count, float factor, long to) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            IntVector bits = fromMemorySegment(FLOATS, ALL, from + i * 4L, ORDER)
                    .mul(factor)
                    .reinterpretAsInts();
            IntVector rounded = bits.add(bits.lanewise(VectorOperators.LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .lanewise(VectorOperators.LSHR, 16);
            ((ShortVector) rounded.convertShape(VectorOperators.I2S, SHORTS, 0))
                    .intoMemorySegment(ALL, to + i * 2L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setShort(to + i * 2L, Bf16.fromFloat(Memory.getFloat(from + i * 4L) * factor));
        }
    }

    /** {@code into[row] = sum of a b} of BF16 rows, so many bytes apart. */
    static void dots(long a, long b, long rowBytes, int rows, int count, long into) {
        int pairs = PairLanes.wholePairs(count);
        int whole = Lanes.wholeVectors(count);
        for (int row = 0; row < rows; row++) {
            long x = a + row * rowBytes;
            long y = b + row * rowBytes;
            FloatVector even = broadcast(FLOATS, 0);
            FloatVector odd = broadcast(FLOATS, 0);
            for (int i = 0; i < pairs; i += PairLanes.COUNT) {
                IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + i * 2L, ORDER);
                IntVector ys = IntVector.fromMemorySegment(INTS, ALL, y + i * 2L, ORDER);
                FloatVector evenX = xs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector oddX = xs.and(HIGH).reinterpretAsFloats();
                even = evenX.fma(ys.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats(), even);
                odd = oddX.fma(ys.and(HIGH).reinterpretAsFloats(), odd);
            }
            if (pairs < whole) {
                IntVector xs = (IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, x + pairs * 2L, ORDER)
                        .convertShape(VectorOperators.S2I, INTS, 0);
                IntVector ys = (IntVector) ShortVector.fromMemorySegment(SHORTS, ALL, y + pairs * 2L, ORDER)
                        .convertShape(VectorOperators.S2I, INTS, 0);
                FloatVector wideX = xs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                even = wideX.fma(ys.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats(), even);
            }
            float rest = 0;
            for (int i = whole; i < count; i++) {
                rest = Math.fma(
                        Bf16.toFloat(Memory.getShort(x + i * 2L)), Bf16.toFloat(Memory.getShort(y + i * 2L)), rest);
            }
            Memory.setFloat(into + row * 4L, Lanes.sum(even.add(odd)) + rest);
        }
    }
}
