package io.hirundo.lib.tensor;

import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Copies elements between floating dtypes with round to nearest even. FP64 becomes BF16 by way of FP32, as in PyTorch. Widening
 * is exact; equal dtypes are copied bitwise.
 *
 * @param source elements of {@code type}, any alignment
 * @param into elements of {@code dtype}, little-endian, any alignment
 */
public record FloatConversion(MemorySegment source, StoredFloat type, MemorySegment into, DType dtype) {
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    public FloatConversion {
        if (!dtype.isArithmetic()) {
            throw new IllegalArgumentException("weights cannot be converted from " + type + " to " + dtype);
        }
    }

    /** Converts consecutive elements; offsets and length are in elements. */
    public void convert(long sourceElement, long intoElement, long elements) {
        long from = sourceElement * type.byteSize();
        long to = intoElement * dtype.byteSize();
        if (type.isSameAs(dtype)) {
            MemorySegment.copy(source, from, into, to, elements * dtype.byteSize());
        } else if (type == StoredFloat.BF16 && dtype == DType.FP32) {
            // The common case: published models are BF16, and training weights FP32.
            for (long i = 0; i < elements; i++) {
                into.set(INT, to + 4 * i, source.get(SHORT, from + 2 * i) << 16);
            }
        } else {
            for (long i = 0; i < elements; i++) {
                put(to + i * dtype.byteSize(), get(from + i * type.byteSize()));
            }
        }
    }

    private double get(long at) {
        return switch (type) {
            case F64 -> source.get(DOUBLE, at);
            case F32 -> source.get(FLOAT, at);
            case F16 -> Float.float16ToFloat(source.get(SHORT, at));
            case BF16 -> Float.intBitsToFloat(source.get(SHORT, at) << 16);
        };
    }

    private void put(long at, double value) {
        switch (dtype) {
            case FP64 -> into.set(DOUBLE, at, value);
            case FP32 -> into.set(FLOAT, at, (float) value);
            case BF16 -> into.set(SHORT, at, toBf16((float) value));
            case INT32, FP8_E4M3, FP8_E5M2 -> throw new IllegalStateException("weights of type " + dtype);
        }
    }

    /** The nearest BF16 number, the even one of two; NaN stays NaN. */
    public static short toBf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }
}
