package io.hirundo.devicecpu.internal.quantize;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static jdk.incubator.vector.ShortVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.scaled.ScaleBlock;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loops that quantize BF16 elements to FP8 with power-of-two scales. They work on 16-bit integers, so a vector holds twice as many
 * elements as it would floats, and widen nothing. A scale shifts the exponent; the mantissa's 7 bits are rounded to those of FP8.
 */
final class Fp8Shorts {
    private static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, Lanes.FLOATS.vectorShape());
    private static final int COUNT = SHORTS.length();
    private static final int VECTOR_BYTES = SHORTS.vectorByteSize();
    private static final int BLOCK = ScaleBlock.EXTENT;
    private static final int VECTORS_OF_BLOCK = BLOCK / COUNT;

    /** As many bytes; none where a vector of 16 bits has fewer than 64 bits of them. */
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, SHORTS.vectorBitSize() / 2)));

    private static final short MAGNITUDE = 0x7fff;
    private static final int INFINITY = 0x7f80;
    private static final int MANTISSA_BITS = 7;
    private static final short IMPLIED_ONE = 1 << MANTISSA_BITS;
    private static final int FP32_BIAS = 127;

    private Fp8Shorts() {}

    /** As {@link Fp8Loops#blockMaxima}, as bits of BF16. */
    static void blockMaxima(long x, int count, long maxima) {
        int whole = count & -BLOCK;
        for (int i = 0; i < whole; i += BLOCK) {
            long at = maxima + i / BLOCK * VECTOR_BYTES;
            ShortVector largest = fromMemorySegment(SHORTS, ALL, at, ORDER);
            for (int v = 0; v < VECTORS_OF_BLOCK; v++) {
                largest = largest.max(fromMemorySegment(SHORTS, ALL, x + i * 2L + v * VECTOR_BYTES, ORDER)
                        .and(MAGNITUDE));
            }
            largest.intoMemorySegment(ALL, at, ORDER);
        }
        long last = maxima + whole / BLOCK * VECTOR_BYTES;
        for (int i = whole; i < count; i++) {
            Memory.setShort(last, (short) Math.max(Memory.getShort(last), Memory.getShort(x + i * 2L) & MAGNITUDE));
        }
    }

    /**
     * Of a vector of {@link #blockMaxima}; in integers of 32 bits, of which the JIT compiler finds the largest with fewer
     * instructions.
     */
    static int largest(long maxima) {
        IntVector pairs = fromMemorySegment(SHORTS, ALL, maxima, ORDER).reinterpretAsInts();
        return pairs.lanewise(VectorOperators.LSHR, 16)
                .max(pairs.and(MAGNITUDE))
                .reduceLanes(VectorOperators.MAX);
    }

    /** {@code maxima[i] = max(maxima[i], |x[i]|)}, as {@link #blockMaxima} in 16 bits. */
    static void maxima(long x, int count, long maxima) {
        int whole = SHORTS.loopBound(count);
        for (int i = 0; i < whole; i += COUNT) {
            fromMemorySegment(SHORTS, ALL, x + i * 2L, ORDER)
                    .and(MAGNITUDE)
                    .max(fromMemorySegment(SHORTS, ALL, maxima + i * 2L, ORDER))
                    .intoMemorySegment(ALL, maxima + i * 2L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            int magnitude = Memory.getShort(x + i * 2L) & MAGNITUDE;
            Memory.setShort(maxima + i * 2L, (short) Math.max(magnitude, Memory.getShort(maxima + i * 2L)));
        }
    }

    /**
     * Whether codes can be made here: all are finite, and whatever is no normal number of BF16 becomes 0.
     *
     * @param maximum bits of the largest magnitude
     */
    static boolean canEncode(int maximum, float scale, Fp8 format) {
        int exponent = Math.getExponent(scale);
        return COUNT == BYTES.length()
                && maximum < INFINITY
                && exponent >= Float.MIN_EXPONENT
                && exponent + format.bias() < FP32_BIAS - (MANTISSA_BITS - dropped(format));
    }

    /** What is added to bits of BF16 that are multiplied by a power of two, so that the exponents are those of the format. */
    static short offset(float scale, Fp8 format) {
        return (short) (Math.getExponent(scale) + format.bias() - FP32_BIAS << MANTISSA_BITS);
    }

    private static int dropped(Fp8 format) {
        return format.shift() - Fp8.BF16_SHIFT;
    }

    /** {@code x[i] = value}. */
    static void fill(long x, int count, short value) {
        int whole = SHORTS.loopBound(count);
        ShortVector filled = ShortVector.broadcast(SHORTS, value);
        for (int i = 0; i < whole; i += COUNT) {
            filled.intoMemorySegment(ALL, x + i * 2L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setShort(x + i * 2L, value);
        }
    }

    /**
     * Codes of whole blocks of 128, at most 64, whose elements are multiplied by a power of two each.
     *
     * @param offsets of these, with each of which this {@link #canEncode}
     * @return as {@link E4m3Loops#encode}
     */
    static long encode(long x, int blocks, long offsets, Fp8 format, long codes) {
        int dropped = dropped(format);
        short half = (short) ((1 << dropped - 1) - 1);
        short most = (short) format.maximumCode();
        long others = 0;
        for (int block = 0; block < blocks; block++) {
            ShortVector least = ShortVector.broadcast(SHORTS, MAGNITUDE);
            for (int v = 0; v < VECTORS_OF_BLOCK; v++) {
                int i = block * BLOCK + v * COUNT;
                ShortVector bits = fromMemorySegment(SHORTS, ALL, x + i * 2L, ORDER);
                ShortVector moved = bits.and(MAGNITUDE).add(fromMemorySegment(SHORTS, ALL, offsets + i * 2L, ORDER));
                least = least.min(moved);
                ShortVector even = moved.lanewise(VectorOperators.LSHR, dropped).and((short) 1);
                ShortVector code = moved.add(half)
                        .add(even)
                        .lanewise(VectorOperators.ASHR, dropped)
                        .min(most);
                ShortVector sign = bits.lanewise(VectorOperators.LSHR, 8).and((short) 0x80);
                ((ByteVector) code.or(sign).convertShape(VectorOperators.S2B, BYTES, 0))
                        .intoMemorySegment(ALL, codes + i, ORDER);
            }
            others |= least.compare(VectorOperators.LT, IMPLIED_ONE).anyTrue() ? 1L << block : 0;
        }
        return others;
    }

    /**
     * As {@link #encode}, also where some are less than the least normal value: a mantissa with its implied one is shifted by as
     * much as the exponent is too low. Half of the least code, and whatever is smaller, become 0. Both are written out for the
     * reason that {@link Lanes} gives.
     */
    static void encodeAll(long x, int count, long offsets, Fp8 format, long codes) {
        int dropped = dropped(format);
        int mantissaBits = MANTISSA_BITS - dropped;
        short half = (short) ((1 << dropped - 1) - 1);
        short most = (short) format.maximumCode();
        short nothing = (short) (-mantissaBits << MANTISSA_BITS);
        int whole = SHORTS.loopBound(count);
        for (int i = 0; i < whole; i += COUNT) {
            ShortVector bits = fromMemorySegment(SHORTS, ALL, x + i * 2L, ORDER);
            ShortVector moved = bits.and(MAGNITUDE).add(fromMemorySegment(SHORTS, ALL, offsets + i * 2L, ORDER));
            ShortVector low = moved.lanewise(VectorOperators.ASHR, MANTISSA_BITS);
            ShortVector all =
                    moved.and((short) (IMPLIED_ONE - 1)).or(IMPLIED_ONE).lanewise(VectorOperators.LSHL, mantissaBits);
            // The exponent is 0, -1, -2 or -3.
            ShortVector by1 = all.blend(
                    all.lanewise(VectorOperators.LSHR, 1), low.and((short) 1).compare(VectorOperators.EQ, (short) 1));
            ShortVector small = by1.blend(
                            by1.lanewise(VectorOperators.LSHR, 2), low.compare(VectorOperators.LT, (short) -1))
                    .blend((short) 0, moved.compare(VectorOperators.LE, nothing));
            ShortVector evenSmall =
                    small.lanewise(VectorOperators.LSHR, MANTISSA_BITS + 1).and((short) 1);
            ShortVector codeSmall = small.add((short) (IMPLIED_ONE - 1))
                    .add(evenSmall)
                    .lanewise(VectorOperators.LSHR, MANTISSA_BITS + 1);
            ShortVector even = moved.lanewise(VectorOperators.LSHR, dropped).and((short) 1);
            ShortVector code = moved.add(half)
                    .add(even)
                    .lanewise(VectorOperators.ASHR, dropped)
                    .min(most);
            ShortVector magnitude = code.blend(codeSmall, moved.compare(VectorOperators.LT, IMPLIED_ONE));
            ShortVector sign = bits.lanewise(VectorOperators.LSHR, 8).and((short) 0x80);
            ((ByteVector) magnitude.or(sign).convertShape(VectorOperators.S2B, BYTES, 0))
                    .intoMemorySegment(ALL, codes + i, ORDER);
        }
        for (int i = whole; i < count; i++) {
            float scale =
                    Math.scalb(1f, (Memory.getShort(offsets + i * 2L) >> MANTISSA_BITS) + FP32_BIAS - format.bias());
            Memory.setByte(codes + i, format.fromFloat(Bf16.toFloat(Memory.getShort(x + i * 2L)) * scale));
        }
    }
}
