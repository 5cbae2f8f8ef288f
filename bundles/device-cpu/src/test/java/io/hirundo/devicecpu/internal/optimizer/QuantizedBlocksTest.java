package io.hirundo.devicecpu.internal.optimizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.DynamicMap;
import java.lang.foreign.Arena;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Quantized values are those of {@link DynamicMap#quantized}, for every number. */
class QuantizedBlocksTest {
    /** Within a bucket of the upper 16 bits, the quantized value changes at most once: its ends and all changes are all cases. */
    @Test
    void endsOfBuckets() {
        float[] ends = new float[2 << 16];
        for (int bucket = 0; bucket < 1 << 16; bucket++) {
            ends[2 * bucket] = Float.intBitsToFloat(bucket << 16);
            ends[2 * bucket + 1] = Float.intBitsToFloat(bucket << 16 | 0xffff);
        }
        check(ends, 1);
    }

    @Test
    void numbersAroundMiddles() {
        for (DynamicMap map : new DynamicMap[] {DynamicMap.SIGNED, DynamicMap.UNSIGNED}) {
            float[] numbers = new float[256 * 16];
            for (int quantized = 0; quantized < 255; quantized++) {
                float middle = (float) ((map.value(quantized) + (double) map.value(quantized + 1)) / 2);
                float number = Math.nextDown(Math.nextDown(Math.nextDown(middle)));
                for (int i = 0; i < 7; i++) {
                    numbers[quantized * 16 + i] = number;
                    number = Math.nextUp(number);
                }
                numbers[quantized * 16 + 7] = map.value(quantized);
            }
            check(numbers, 1);
        }
    }

    @Test
    void anyBits() {
        var random = new Random(5);
        float[] numbers = new float[1 << 18];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Float.intBitsToFloat(random.nextInt());
        }
        check(numbers, 1);
        check(numbers, Float.NaN);
        check(numbers, Float.POSITIVE_INFINITY);
        check(numbers, Float.MIN_VALUE);
    }

    @Test
    void numbersOfABlockDividedByItsScale() {
        var random = new Random(7);
        float[] numbers = new float[1 << 18];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) (random.nextGaussian() * Math.pow(10, -8 * random.nextDouble()));
        }
        check(numbers, 1.7f);
        check(numbers, 4.3e-5f);
    }

    private static void check(float[] numbers, float scale) {
        int count = Lanes.padded(numbers.length);
        try (Arena arena = Arena.ofConfined()) {
            long copy = arena.allocate(count * 4L, 64).address();
            long quantized = arena.allocate(count, 64).address();
            for (boolean isSigned : new boolean[] {true, false}) {
                DynamicMap map = isSigned ? DynamicMap.SIGNED : DynamicMap.UNSIGNED;
                for (int i = 0; i < numbers.length; i++) {
                    Memory.setFloat(copy + i * 4L, numbers[i]);
                }
                (isSigned ? QuantizedBlocks.SIGNED : QuantizedBlocks.UNSIGNED).quantize(copy, scale, count, quantized);
                for (int i = 0; i < numbers.length; i++) {
                    int expected = map.quantized(numbers[i] / scale);
                    int found = Memory.getByte(quantized + i) & 0xff;
                    if (expected != found) {
                        assertEquals(
                                expected, found, numbers[i] + " / " + scale + (isSigned ? ", signed" : ", unsigned"));
                    }
                }
            }
        }
    }
}
