package io.hirundo.lib.oracle.gemm;

import io.hirundo.lib.precision.Fp8Codes;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Floating-point elements in host memory, which is lent. 8-bit elements are decoded without a scale. Confined to one thread. */
public final class HostElements {
    private final MemorySegment memory;
    private final DType dtype;
    /** The value of each 8-bit pattern; null for other dtypes. */
    private final float[] codeValues;

    /** FP32 or BF16, as many as were read at a time: arrays are converted many elements at once, memory outside of the heap is not. */
    private float[] floats = new float[0];

    private short[] shorts = new short[0];

    private HostElements(MemorySegment memory, DType dtype) {
        this.memory = memory;
        this.dtype = dtype;
        this.codeValues = dtype.byteSize() == 1 ? Fp8Codes.values(dtype) : null;
    }

    /** Of a floating type. */
    public static HostElements of(MemorySegment memory, DType dtype) {
        if (!dtype.isFloating()) {
            throw new IllegalArgumentException("elements of type " + dtype + " are no numbers of a product or a sum");
        }
        return new HostElements(memory, dtype);
    }

    /** Copies elements {@code [first, first + count)} to the beginning of {@code into}. */
    public void read(long first, int count, double[] into) {
        switch (dtype) {
            case FP64 -> MemorySegment.copy(memory, ValueLayout.JAVA_DOUBLE, first * Double.BYTES, into, 0, count);
            case FP32 -> {
                floats = floats.length < count ? new float[count] : floats;
                MemorySegment.copy(memory, ValueLayout.JAVA_FLOAT, first * Float.BYTES, floats, 0, count);
                for (int i = 0; i < count; i++) {
                    into[i] = floats[i];
                }
            }
            case BF16 -> {
                shorts = shorts.length < count ? new short[count] : shorts;
                MemorySegment.copy(memory, ValueLayout.JAVA_SHORT, first * Short.BYTES, shorts, 0, count);
                for (int i = 0; i < count; i++) {
                    into[i] = Float.intBitsToFloat(shorts[i] << 16);
                }
            }
            case FP8_E4M3, FP8_E5M2 -> {
                for (int i = 0; i < count; i++) {
                    into[i] = codeValues[memory.get(ValueLayout.JAVA_BYTE, first + i) & 0xff];
                }
            }
            case INT32 -> throw new AssertionError(dtype);
        }
    }
}
