package io.hirundo.lib.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hirundo.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FloatConversionTest {
    private static final int ALL_16_BITS = 1 << 16;

    @Test
    void widensFp16AndBf16Exactly() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(2L * ALL_16_BITS, 8);
            for (int i = 0; i < ALL_16_BITS; i++) {
                source.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) i);
            }
            MemorySegment floats = arena.allocate(4L * ALL_16_BITS, 8);
            MemorySegment doubles = arena.allocate(8L * ALL_16_BITS, 8);
            new FloatConversion(source, StoredFloat.F16, floats, DType.FP32).convert(0, 0, ALL_16_BITS);
            new FloatConversion(source, StoredFloat.F16, doubles, DType.FP64).convert(0, 0, ALL_16_BITS);
            for (int i = 0; i < ALL_16_BITS; i++) {
                assertEquals(half(i), floats.getAtIndex(ValueLayout.JAVA_FLOAT, i));
                assertEquals(half(i), doubles.getAtIndex(ValueLayout.JAVA_DOUBLE, i));
            }
            new FloatConversion(source, StoredFloat.BF16, floats, DType.FP32).convert(0, 0, ALL_16_BITS);
            for (int i = 0; i < ALL_16_BITS; i++) {
                assertEquals(i << 16, floats.getAtIndex(ValueLayout.JAVA_INT, i));
            }
            // Every BF16 value that is not NaN converts back to itself.
            MemorySegment back = arena.allocate(2L * ALL_16_BITS, 8);
            new FloatConversion(floats, StoredFloat.F32, back, DType.BF16).convert(0, 0, ALL_16_BITS);
            for (int i = 0; i < ALL_16_BITS; i++) {
                int nan = Float.isNaN(Float.intBitsToFloat(i << 16)) ? 0x40 : 0;
                assertEquals((short) (i | nan), back.getAtIndex(ValueLayout.JAVA_SHORT, i));
            }
        }
    }

    /** IEEE binary16 by definition. */
    private static double half(int bits) {
        int exponent = bits >> 10 & 31;
        int fraction = bits & 1023;
        double sign = bits >> 15 == 0 ? 1 : -1;
        if (exponent == 31) {
            return fraction == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
        }
        return exponent == 0 ? sign * fraction * 0x1p-24 : sign * (1024 + fraction) * Math.scalb(1.0, exponent - 25);
    }

    @Test
    void narrowsWithRoundToNearestEven() {
        assertBfloat(1.0, 0x3f80);
        assertBfloat(1 + 0x1p-8, 0x3f80);
        assertBfloat(1 + 0x1p-8 + 0x1p-20, 0x3f81);
        assertBfloat(1 + 3 * 0x1p-8, 0x3f82);
        assertBfloat(-1 - 3 * 0x1p-8, 0xbf82);
        assertBfloat(Float.MAX_VALUE, 0x7f80);
        assertBfloat(Double.NEGATIVE_INFINITY, 0xff80);
        assertBfloat(0x1p-133, 0x0001);
        assertBfloat(-0.0, 0x8000);
        for (double value : new double[] {Math.PI, -1e-30, 1e300, Double.MIN_VALUE, 1 + 0x1p-24, 1 + 0x1.8p-23}) {
            assertEquals((float) value, convertOne(value, DType.FP32).get(ValueLayout.JAVA_FLOAT, 0));
            assertEquals(value, convertOne(value, DType.FP64).get(ValueLayout.JAVA_DOUBLE, 0));
        }
    }

    @Test
    void convertsAtAnyOffset() {
        double[] values = DoubleStream.iterate(0.5, value -> value + 1).limit(9).toArray();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(9 * 4 + 1).asSlice(1);
            for (int i = 0; i < 9; i++) {
                source.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, (float) values[i]);
            }
            for (DType dtype : new DType[] {DType.FP64, DType.FP32, DType.BF16}) {
                MemorySegment into = arena.allocate(7L * dtype.byteSize(), 8);
                new FloatConversion(source, StoredFloat.F32, into, dtype).convert(3, 1, 5);
                double[] read = values(into, dtype);
                assertEquals(0, read[0]);
                assertEquals(0, read[6]);
                for (int i = 0; i < 5; i++) {
                    assertEquals(values[3 + i], read[1 + i]);
                }
            }
        }
    }

    @Test
    void rejectsNonArithmeticDtypes() {
        MemorySegment memory = MemorySegment.ofArray(new long[4]);
        assertThrows(
                IllegalArgumentException.class,
                () -> new FloatConversion(memory, StoredFloat.F32, memory, DType.INT32));
        assertThrows(
                IllegalArgumentException.class,
                () -> new FloatConversion(memory, StoredFloat.F32, memory, DType.FP8_E4M3));
    }

    private static double[] values(MemorySegment host, DType dtype) {
        return LongStream.range(0, host.byteSize() / dtype.byteSize())
                .mapToDouble(index -> switch (dtype) {
                    case FP64 -> host.getAtIndex(ValueLayout.JAVA_DOUBLE, index);
                    case FP32 -> host.getAtIndex(ValueLayout.JAVA_FLOAT, index);
                    default -> Float.intBitsToFloat(host.getAtIndex(ValueLayout.JAVA_SHORT, index) << 16);
                })
                .toArray();
    }

    private static void assertBfloat(double value, int bits) {
        assertEquals((short) bits, convertOne(value, DType.BF16).get(ValueLayout.JAVA_SHORT, 0), () -> "of " + value);
    }

    private static MemorySegment convertOne(double value, DType dtype) {
        MemorySegment source = Arena.ofAuto().allocate(8, 8);
        source.set(ValueLayout.JAVA_DOUBLE, 0, value);
        MemorySegment into = Arena.ofAuto().allocate(8, 8);
        new FloatConversion(source, StoredFloat.F64, into, dtype).convert(0, 0, 1);
        return into;
    }
}
