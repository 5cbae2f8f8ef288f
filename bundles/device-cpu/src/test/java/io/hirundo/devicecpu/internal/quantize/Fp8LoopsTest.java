package io.hirundo.devicecpu.internal.quantize;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.fixture.TestDevice;
import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import io.hirundo.kernel.scaled.ScaleBlock;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.scalar.value.Fp8Values;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Conversions to 8 bits, element by element and in vectors, against a search among all values in binary64. */
class Fp8LoopsTest {
    private static final int BF16_VALUES = 1 << 16;

    /** In E4M3. */
    private static final float[] NOT_NORMAL = {
        0,
        -0f,
        0x1.8p-7f,
        -0x1p-8f,
        0x1p-100f,
        -0x1p-149f,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        1024,
        -0x1p100f
    };

    @ParameterizedTest
    @EnumSource(names = {"FP8_E4M3", "FP8_E5M2"})
    void quantizesEveryBf16(DType dtype) {
        check(dtype, BF16_VALUES, i -> Bf16.toFloat((short) i));
    }

    /** All exponents with random mantissas, and the FP32 numbers next to every FP8 value and to every midpoint of two. */
    @ParameterizedTest
    @EnumSource(names = {"FP8_E4M3", "FP8_E5M2"})
    void quantizesManyFp32(DType dtype) {
        Random random = new Random(7);
        check(dtype, 200_003, i -> Float.intBitsToFloat(random.nextInt()));
        Fp8Values values = Fp8Values.of(dtype);
        float largest = Fp8.of(dtype).maximum();
        check(dtype, 3 * 2 * 128, i -> {
            float value = (float) Math.min(largest, finite(values, i / 6));
            float next = (float) Math.min(largest, finite(values, i / 6 + 1));
            float start = i / 3 % 2 == 0 ? value : (value + next) / 2;
            return i % 3 == 0 ? start : i % 3 == 1 ? Math.nextUp(start) : Math.nextDown(start);
        });
    }

    private static double finite(Fp8Values values, int code) {
        double value = values.value((byte) code);
        return Double.isFinite(value) ? value : Double.MAX_VALUE;
    }

    private static void check(DType dtype, int count, IntToDoubleFunction value) {
        Fp8 format = Fp8.of(dtype);
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor x = device.tensor(DType.FP32, i -> value.applyAsDouble((int) i), count);
            CpuTensor codes = device.tensor(dtype, i -> 0, count);
            Fp8Loops.encode(x.address(), count, 1, format, codes.address());
            float[] from = x.memory().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
            byte[] found = codes.memory().toArray(ValueLayout.JAVA_BYTE);
            for (int i = 0; i < count; i++) {
                float each = from[i];
                byte expected = Fp8Values.of(dtype).nearest(each);
                assertEquals(expected, format.fromFloat(each), () -> each + " element by element");
                assertEquals(expected, found[i], () -> each + " in a vector");
            }
        }
    }

    /** By every power of two that is a scale, in 16 bits as in 32. */
    @ParameterizedTest
    @EnumSource(names = {"FP8_E4M3", "FP8_E5M2"})
    void quantizesEveryBf16ByEveryScale(DType dtype) {
        Fp8 format = Fp8.of(dtype);
        int finite = 0x7f80;
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor x = device.tensor(
                    DType.BF16, i -> Bf16.toFloat((short) (i / finite * 0x8000 + i % finite)), 2 * finite);
            CpuTensor wide = device.tensor(
                    DType.FP32, i -> Bf16.toFloat((short) (i / finite * 0x8000 + i % finite)), 2 * finite);
            CpuTensor expected = device.tensor(dtype, i -> 0, 2 * finite);
            CpuTensor codes = device.tensor(dtype, i -> 0, 2 * finite);
            CpuTensor offsets = device.tensor(DType.BF16, i -> 0, 2 * finite);
            int scales = 0;
            for (int exponent = -126; exponent <= 127; exponent++) {
                float scale = Math.scalb(1f, exponent);
                if (Fp8Shorts.canEncode(finite - 1, scale, format)) {
                    scales++;
                    Fp8Loops.encode(wide.address(), 2 * finite, scale, format, expected.address());
                    Fp8Shorts.fill(offsets.address(), 2 * finite, Fp8Shorts.offset(scale, format));
                    encodeInShorts(x.address(), 2 * finite, offsets.address(), format, codes.address());
                    assertEquals(-1, differs(expected, codes), "by 2^" + exponent);
                }
            }
            assertEquals(127 - format.bias() - (format == Fp8.E4M3 ? 3 : 2) + 126, scales);
        }
    }

    private static void encodeInShorts(long x, int count, long offsets, Fp8 format, long codes) {
        for (long first = 0; first < count; first += ScaleBlock.EXTENT) {
            int size = (int) Math.min(ScaleBlock.EXTENT, count - first);
            if (size < ScaleBlock.EXTENT
                    || Fp8Shorts.encode(x + first * 2, 1, offsets + first * 2, format, codes + first) != 0) {
                Fp8Shorts.encodeAll(x + first * 2, size, offsets + first * 2, format, codes + first);
            }
        }
    }

    /** Normal numbers of E4M3 as all others; a block that has something else is told. */
    @Test
    void limitedE4m3() {
        float scale = 2;
        int atOnce = 50;
        int count = 40 * atOnce * ScaleBlock.EXTENT;
        int ofNormal = count / 2;
        Random random = new Random(5);
        try (TestDevice device = new TestDevice(1, "vector")) {
            CpuTensor x = device.tensor(
                    DType.FP32,
                    i -> (isNormal(i, ofNormal) ? normal(random) : NOT_NORMAL[(int) (i / 128) % NOT_NORMAL.length])
                            / scale,
                    count);
            CpuTensor codes = device.tensor(DType.FP8_E4M3, i -> 0, count);
            CpuTensor scales = device.tensor(DType.FP32, i -> scale, atOnce);
            for (int i = 0; i < count; i += atOnce * ScaleBlock.EXTENT) {
                long others = E4m3Loops.encode(x.address() + 4L * i, atOnce, scales.address(), codes.address() + i);
                assertEquals(i < ofNormal ? 0 : (1L << atOnce) - 1, others, "from element " + i);
            }
            for (int i = 0; i < count; i++) {
                if (isNormal(i, ofNormal)) {
                    float each = Memory.getFloat(x.address() + 4L * i) * scale;
                    byte expected = Fp8Values.E4M3.nearest(each);
                    byte found = Memory.getByte(codes.address() + i);
                    assertEquals(expected, found, () -> each + "");
                }
            }
        }
    }

    /** In the second half a block has one that is not. */
    private static boolean isNormal(long i, int ofNormal) {
        return i < ofNormal || i % ScaleBlock.EXTENT != 77;
    }

    /** Of any mantissa and sign; every second one lies between two codes. */
    private static float normal(Random random) {
        float magnitude = Math.min(448, Math.scalb(1 + random.nextFloat(), random.nextInt(15) - 6));
        int bits = Float.floatToRawIntBits(magnitude);
        float middle = Float.intBitsToFloat(bits & -1 << 20 | 1 << 19);
        return (random.nextBoolean() && middle < 448 ? middle : magnitude) * (random.nextBoolean() ? 1 : -1);
    }

    private static long differs(CpuTensor expected, CpuTensor codes) {
        long bytes = expected.byteSize();
        return Memory.ALL.asSlice(expected.address(), bytes).mismatch(Memory.ALL.asSlice(codes.address(), bytes));
    }

    @ParameterizedTest
    @EnumSource(names = {"FP8_E4M3", "FP8_E5M2"})
    void decodesEveryCode(DType dtype) {
        for (int code = 0; code < 256; code++) {
            assertEquals(Fp8Values.of(dtype).value((byte) code), Fp8.of(dtype).toFloat((byte) code), "code " + code);
        }
    }

    /** Of the published format. */
    @ParameterizedTest
    @EnumSource(value = Fp8Values.class, mode = Mode.INCLUDE, names = "E4M3")
    void goldensOfE4M3(Fp8Values values) {
        assertEquals(0x7e, values.nearest(448));
        assertEquals(0x7e, values.nearest(1e30));
        assertEquals((byte) 0xfe, values.nearest(Double.NEGATIVE_INFINITY));
        assertEquals(0x7f, values.nearest(Double.NaN));
        assertEquals(0, values.nearest(0x1p-10));
        assertEquals(1, values.nearest(Math.nextUp(0x1p-10)));
        assertEquals((byte) 0x80, values.nearest(-0x1p-10));
        assertEquals(0x1p-9, values.value((byte) 1));
        assertEquals(0x38, values.nearest(1));
    }
}
