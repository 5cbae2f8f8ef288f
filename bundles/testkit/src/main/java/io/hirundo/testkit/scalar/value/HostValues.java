package io.hirundo.testkit.scalar.value;

import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.LongToDoubleFunction;

/** Elements of tensors in host memory, little-endian, at any address. */
public final class HostValues {
    private static final ValueLayout.OfDouble FP64 =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort BF16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private HostValues() {}

    /** An element; the buffer is little-endian. */
    static double get(ByteBuffer bytes, DType dtype, int index) {
        int at = index * dtype.byteSize();
        return switch (dtype) {
            case FP64 -> bytes.getDouble(at);
            case FP32 -> bytes.getFloat(at);
            case BF16 -> Float.intBitsToFloat(bytes.getShort(at) << 16);
            case FP8_E4M3, FP8_E5M2 -> Fp8Values.of(dtype).value(bytes.get(at));
            case INT32 -> bytes.getInt(at);
        };
    }

    /** Sets an element, rounded to the dtype; the buffer is little-endian. */
    static void set(ByteBuffer bytes, DType dtype, int index, double value) {
        int at = index * dtype.byteSize();
        switch (dtype) {
            case FP64 -> bytes.putDouble(at, value);
            case FP32 -> bytes.putFloat(at, (float) value);
            case BF16 -> bytes.putShort(at, bf16(value));
            case FP8_E4M3, FP8_E5M2 -> bytes.put(at, Fp8Values.of(dtype).nearest(value));
            case INT32 -> bytes.putInt(at, (int) value);
        }
    }

    /** Sets the first elements, rounded to the dtype. */
    public static void fill(MemorySegment bytes, DType dtype, int count, LongToDoubleFunction value) {
        var values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = value.applyAsDouble(i);
        }
        write(bytes, dtype, values);
    }

    /** Sets the first elements, rounded to the dtype. */
    public static void write(MemorySegment bytes, DType dtype, double[] values) {
        // Through an array: without the optimizing compiler, an access to a segment takes far longer than one to an
        // array.
        switch (dtype) {
            case FP64 -> MemorySegment.copy(values, 0, bytes, FP64, 0, values.length);
            case FP32 -> {
                var written = new float[values.length];
                for (int i = 0; i < values.length; i++) {
                    written[i] = (float) values[i];
                }
                MemorySegment.copy(written, 0, bytes, FP32, 0, values.length);
            }
            case BF16 -> {
                var written = new short[values.length];
                for (int i = 0; i < values.length; i++) {
                    written[i] = bf16(values[i]);
                }
                MemorySegment.copy(written, 0, bytes, BF16, 0, values.length);
            }
            case FP8_E4M3, FP8_E5M2 -> {
                Fp8Values format = Fp8Values.of(dtype);
                var written = new byte[values.length];
                for (int i = 0; i < values.length; i++) {
                    written[i] = format.nearest(values[i]);
                }
                MemorySegment.copy(written, 0, bytes, ValueLayout.JAVA_BYTE, 0, values.length);
            }
            case INT32 -> {
                var written = new int[values.length];
                for (int i = 0; i < values.length; i++) {
                    written[i] = (int) values[i];
                }
                MemorySegment.copy(written, 0, bytes, INT32, 0, values.length);
            }
        }
    }

    /** The first elements. */
    public static double[] read(MemorySegment bytes, DType dtype, int count) {
        var values = new double[count];
        switch (dtype) {
            case FP64 -> MemorySegment.copy(bytes, FP64, 0, values, 0, count);
            case FP32 -> {
                var read = new float[count];
                MemorySegment.copy(bytes, FP32, 0, read, 0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = read[i];
                }
            }
            case BF16 -> {
                var read = new short[count];
                MemorySegment.copy(bytes, BF16, 0, read, 0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = Float.intBitsToFloat(read[i] << 16);
                }
            }
            case FP8_E4M3, FP8_E5M2 -> {
                Fp8Values format = Fp8Values.of(dtype);
                var read = new byte[count];
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, read, 0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = format.value(read[i]);
                }
            }
            case INT32 -> {
                var read = new int[count];
                MemorySegment.copy(bytes, INT32, 0, read, 0, count);
                for (int i = 0; i < count; i++) {
                    values[i] = read[i];
                }
            }
        }
        return values;
    }

    private static short bf16(double value) {
        return (short) (Float.floatToRawIntBits((float) rounded(DType.BF16, value)) >>> 16);
    }

    /** The nearest value of the dtype; to BF16 through FP32. */
    public static double rounded(DType dtype, double value) {
        return switch (dtype) {
            case FP64 -> value;
            case FP32 -> (float) value;
            case BF16 -> {
                int bits = Float.floatToRawIntBits((float) value);
                int up = Double.isNaN(value) ? 0 : 0x7fff + (bits >>> 16 & 1);
                yield Float.intBitsToFloat(bits + up & 0xffff0000);
            }
            case FP8_E4M3, FP8_E5M2 ->
                Fp8Values.of(dtype).value(Fp8Values.of(dtype).nearest(value));
            case INT32 -> (int) value;
        };
    }
}
