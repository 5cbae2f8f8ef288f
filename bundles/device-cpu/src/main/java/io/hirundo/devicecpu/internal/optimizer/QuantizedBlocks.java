package io.hirundo.devicecpu.internal.optimizer;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.DynamicMap;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Quantizes as {@link DynamicMap#quantized}, exactly, with two table lookups instead of a binary search with eight branches, which processors cannot
 * predict. The upper 16 bits of an FP32 number (sign, exponent, 7 bits of the mantissa) select a bucket. In a bucket the quantized value changes
 * at most once, so one comparison decides.
 */
final class QuantizedBlocks {
    private static final int VALUES = 256;
    private static final int BUCKET_BITS = 16;
    /** {@link #ordered} of 1 and -1: all numbers beyond them have the quantized value of these. */
    private static final int MOST = ordered(1);

    private static final int LEAST = ordered(-1);
    private static final int FIRST_BUCKET = LEAST >> BUCKET_BITS;

    // After the constants that their construction reads.
    static final QuantizedBlocks SIGNED = new QuantizedBlocks(DynamicMap.SIGNED);
    static final QuantizedBlocks UNSIGNED = new QuantizedBlocks(DynamicMap.UNSIGNED);

    /** By bucket, the quantized value of its lowest number. */
    private final byte[] lowest = new byte[(MOST >> BUCKET_BITS) - FIRST_BUCKET + 1];
    /** By quantized value, the largest number that has it, {@link #ordered}. */
    private final int[] last = new int[VALUES];

    private QuantizedBlocks(DynamicMap map) {
        for (int bucket = 0; bucket < lowest.length; bucket++) {
            lowest[bucket] = (byte) map.quantized(number(Math.max(LEAST, bucket + FIRST_BUCKET << BUCKET_BITS)));
        }
        for (int quantized = 0; quantized + 1 < VALUES; quantized++) {
            last[quantized] = last(map, quantized);
        }
        last[VALUES - 1] = MOST;
    }

    /** By bisection: middles are rounded, so they are not computed again here. */
    private static int last(DynamicMap map, int quantized) {
        int low = LEAST;
        long high = MOST;
        while (low + 1L < high) {
            int middle = (int) ((low + high) >> 1);
            if (map.quantized(number(middle)) <= quantized) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** An integer that is larger for larger numbers. */
    private static int ordered(float number) {
        int bits = Float.floatToRawIntBits(number);
        return bits ^ (bits >> 31 & Integer.MAX_VALUE);
    }

    private static float number(int ordered) {
        return Float.intBitsToFloat(ordered ^ (ordered >> 31 & Integer.MAX_VALUE));
    }

    /**
     * Quantizes numbers divided by a scale.
     *
     * @param numbers address of FP32 numbers, which are overwritten
     * @param scale not 0
     * @param count a multiple of {@link Lanes#COUNT}
     */
    void quantize(long numbers, float scale, int count, long quantized) {
        for (int i = 0; i < count; i += Lanes.COUNT) {
            FloatVector divided =
                    fromMemorySegment(FLOATS, ALL, numbers + i * 4L, ORDER).div(scale);
            // NaN is quantized as 1.
            VectorMask<Float> isNan = divided.test(VectorOperators.IS_NAN);
            IntVector bits = divided.blend(1, isNan).reinterpretAsInts();
            IntVector ordered = bits.lanewise(
                    VectorOperators.XOR, bits.lanewise(VectorOperators.ASHR, 31).and(Integer.MAX_VALUE));
            ordered.max(LEAST).min(MOST).intoMemorySegment(ALL, numbers + i * 4L, ORDER);
        }
        for (int i = 0; i < count; i++) {
            int ordered = Memory.getInt(numbers + i * 4L);
            int nearest = lowest[(ordered >> BUCKET_BITS) - FIRST_BUCKET] & 0xff;
            // Adds 1 if the number is larger than the last one with this value, without a branch.
            Memory.setByte(quantized + i, (byte) (nearest + (last[nearest] - ordered >>> 31)));
        }
    }
}
