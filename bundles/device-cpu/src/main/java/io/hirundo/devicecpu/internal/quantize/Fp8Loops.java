package io.hirundo.devicecpu.internal.quantize;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.scaled.ScaleBlock;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Loops that quantize FP32 elements to FP8, by address. */
final class Fp8Loops {
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());

    /** At least as many bytes as there are lanes. */
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.vectorBitSize() / 4)));

    private static final boolean FILLS_BYTES = BYTES.length() == Lanes.COUNT;
    private static final VectorMask<Byte> LANES_OF_BYTES = BYTES.indexInRange(0, Lanes.COUNT);

    /** Also the bits of an exponent. */
    static final int INFINITY = 0x7f800000;

    private static final int MAGNITUDE = 0x7fffffff;
    private static final int SIGN = 0x80;
    private static final int FP32_MANTISSA_BITS = 23;
    private static final int BLOCK = ScaleBlock.EXTENT;
    private static final int VECTORS_OF_BLOCK = BLOCK / Lanes.COUNT;

    private Fp8Loops() {}

    /** The maximum of {@code amax} and all magnitudes; ignores NaNs. */
    static float maximum(long x, int count, float amax) {
        // The bits of magnitudes, as integers, have the order of the magnitudes; NaNs are above all others.
        int whole = Lanes.wholeVectors(count);
        IntVector bits = IntVector.broadcast(INTS, Float.floatToRawIntBits(amax));
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            bits = bits.max(
                    IntVector.fromMemorySegment(INTS, ALL, x + i * 4L, ORDER).and(MAGNITUDE));
        }
        int largest = bits.reduceLanes(VectorOperators.MAX);
        for (int i = whole; i < count; i++) {
            largest = Math.max(largest, Memory.getInt(x + i * 4L) & MAGNITUDE);
        }
        return largest <= INFINITY ? Float.intBitsToFloat(largest) : maximumOfNumbers(x, count, amax);
    }

    private static float maximumOfNumbers(long x, int count, float amax) {
        float largest = amax;
        for (int i = 0; i < count; i++) {
            float magnitude = Math.abs(Memory.getFloat(x + i * 4L));
            largest = magnitude > largest ? magnitude : largest;
        }
        return largest;
    }

    /** {@code maxima[i] = max(maxima[i], |x[i]|)}; ignores NaNs. */
    static void maxima(long x, int count, long maxima) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            IntVector magnitude =
                    IntVector.fromMemorySegment(INTS, ALL, x + i * 4L, ORDER).and(MAGNITUDE);
            IntVector number = magnitude.blend(0, magnitude.compare(VectorOperators.GT, INFINITY));
            number.max(IntVector.fromMemorySegment(INTS, ALL, maxima + i * 4L, ORDER))
                    .intoMemorySegment(ALL, maxima + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            float magnitude = Math.abs(Memory.getFloat(x + i * 4L));
            if (magnitude > Memory.getFloat(maxima + i * 4L)) {
                Memory.setFloat(maxima + i * 4L, magnitude);
            }
        }
    }

    /**
     * Raises a vector of maxima for each block of a row to the block's magnitudes. Vectors are {@link Lanes#BYTES} apart and hold FP32 bits,
     * which have the order of the magnitudes; NaNs are above all others.
     */
    static void blockMaxima(long x, int count, long maxima) {
        int whole = count & -BLOCK;
        for (int i = 0; i < whole; i += BLOCK) {
            long at = maxima + i / BLOCK * Lanes.BYTES;
            IntVector largest = IntVector.fromMemorySegment(INTS, ALL, at, ORDER);
            for (int v = 0; v < VECTORS_OF_BLOCK; v++) {
                largest = largest.max(IntVector.fromMemorySegment(INTS, ALL, x + i * 4L + v * Lanes.BYTES, ORDER)
                        .and(MAGNITUDE));
            }
            largest.intoMemorySegment(ALL, at, ORDER);
        }
        long last = maxima + whole / BLOCK * Lanes.BYTES;
        for (int i = whole; i < count; i++) {
            Memory.setInt(last, Math.max(Memory.getInt(last), Memory.getInt(x + i * 4L) & MAGNITUDE));
        }
    }

    /** Of a vector of {@link #blockMaxima}. */
    static int largest(long maxima) {
        return IntVector.fromMemorySegment(INTS, ALL, maxima, ORDER).reduceLanes(VectorOperators.MAX);
    }

    /**
     * Codes of {@code x scale}, as {@link Fp8#fromFloat}. Added to a power of two whose last place is that of the code, a magnitude
     * is rounded as the code is; what the sum's bits have gained is the mantissa, or the implied one more than it. All in one
     * method, and numbers in place of the format: see {@link Lanes}, and C2 does not keep what it reads of an object in registers
     * past a store.
     */
    static void encode(long x, int count, float scale, Fp8 format, long codes) {
        int shift = format.shift();
        int least = Float.floatToRawIntBits(format.leastNormal());
        int most = Float.floatToRawIntBits(format.maximum());
        int places = shift << FP32_MANTISSA_BITS;
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            IntVector bits =
                    fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(scale).reinterpretAsInts();
            IntVector any = bits.and(MAGNITUDE);
            IntVector magnitude = any.min(most);
            IntVector large = magnitude.and(INFINITY).max(least).add(places);
            IntVector sum = magnitude
                    .reinterpretAsFloats()
                    .add(large.reinterpretAsFloats())
                    .reinterpretAsInts();
            // (sum - large) + (large - places - least) / 2^shift
            IntVector code = sum.add(large.lanewise(VectorOperators.LSHR, shift).sub(large))
                    .sub(least + places >>> shift);
            IntVector sign = bits.lanewise(VectorOperators.LSHR, 24).and(SIGN);
            IntVector all = code.or(sign).blend(Fp8.NAN, any.compare(VectorOperators.GT, INFINITY));
            ByteVector bytes = (ByteVector) all.convertShape(VectorOperators.I2B, BYTES, 0);
            if (FILLS_BYTES) {
                bytes.intoMemorySegment(ALL, codes + i, ORDER);
            } else {
                bytes.intoMemorySegment(ALL, codes + i, ORDER, LANES_OF_BYTES);
            }
        }
        for (int i = whole; i < count; i++) {
            Memory.setByte(codes + i, format.fromFloat(Memory.getFloat(x + i * 4L) * scale));
        }
    }
}
