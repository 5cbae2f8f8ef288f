package io.hirundo.devicecpu.internal.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * All of the process's memory as one segment, whose offsets are addresses. Kernels read and write tensors through it: the
 * JIT compiler knows a constant segment of unlimited length by heart and drops its checks. Callers check
 * (as {@code Operands} does) that an address is within a tensor; a wrong address crashes the process.
 */
public final class Memory {
    public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Of every allocation: a cache line, which is also the widest vector. */
    public static final long ALIGNMENT_BYTES = 64;

    /** Order of the elements' bytes, for vector loads and stores. */
    public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfDouble FP64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ORDER);
    private static final ValueLayout.OfShort BF16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ORDER);

    public static float getFloat(long address) {
        return ALL.get(FP32, address);
    }

    public static void setFloat(long address, float value) {
        ALL.set(FP32, address, value);
    }

    public static double getDouble(long address) {
        return ALL.get(FP64, address);
    }

    public static void setDouble(long address, double value) {
        ALL.set(FP64, address, value);
    }

    public static int getInt(long address) {
        return ALL.get(INT32, address);
    }

    public static void setInt(long address, int value) {
        ALL.set(INT32, address, value);
    }

    /** The bits of a BF16 element; {@code Bf16} converts them. */
    public static short getShort(long address) {
        return ALL.get(BF16, address);
    }

    public static void setShort(long address, short value) {
        ALL.set(BF16, address, value);
    }

    public static byte getByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static void setByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    /** Eight bytes, the first one the lowest. */
    public static long getLong(long address) {
        return ALL.get(INT64, address);
    }

    public static void setLong(long address, long value) {
        ALL.set(INT64, address, value);
    }

    public static void zero(long address, long bytes) {
        ALL.asSlice(address, bytes).fill((byte) 0);
    }

    /** Copies bytes between ranges that do not overlap. */
    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }

    private Memory() {}
}
