package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Vectors of 8-bit elements in memory, as FP32 or BF16. */
public final class Fp8Vectors {
    private static final VectorSpecies<Integer> BITS = LANES.withLanes(int.class);

    /** At least as many bytes as there are lanes. */
    private static final VectorSpecies<Byte> BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, LANES.vectorBitSize() / 4)));

    private static final boolean FILLS_BYTES = BYTES.length() == VECTOR_COLUMNS;
    private static final VectorMask<Byte> LANES_OF_BYTES = BYTES.indexInRange(0, VECTOR_COLUMNS);

    /** FP32 values of codes, without a scale. */
    public static void decode(long codes, int count, Fp8 format, long values) {
        int whole = LANES.loopBound(count);
        for (int i = 0; i < whole; i += VECTOR_COLUMNS) {
            IntVector code = codes(codes + i);
            IntVector magnitude = code.and(Fp8.MAGNITUDE);
            finite(code, magnitude, format).reinterpretAsFloats().intoMemorySegment(ALL, values + i * 4L, ORDER);
            if (magnitude.compare(VectorOperators.GT, format.maximumCode()).anyTrue()) {
                decodeEach(codes + i, VECTOR_COLUMNS, format, values + i * 4L);
            }
        }
        decodeEach(codes + whole, count - whole, format, values + whole * 4L);
    }

    /** BF16 values of codes, without a scale: the upper half of FP32 has all of their bits. */
    public static void decodeToBf16(long codes, int count, Fp8 format, long values) {
        int whole = LANES.loopBound(count);
        for (int i = 0; i < whole; i += VECTOR_COLUMNS) {
            IntVector code = codes(codes + i);
            IntVector magnitude = code.and(Fp8.MAGNITUDE);
            Bf16Vectors.storeUpper(finite(code, magnitude, format), values + i * 2L);
            if (magnitude.compare(VectorOperators.GT, format.maximumCode()).anyTrue()) {
                decodeEachToBf16(codes + i, VECTOR_COLUMNS, format, values + i * 2L);
            }
        }
        decodeEachToBf16(codes + whole, count - whole, format, values + whole * 2L);
    }

    /** Sign-extended. */
    private static IntVector codes(long address) {
        ByteVector bytes = FILLS_BYTES
                ? ByteVector.fromMemorySegment(BYTES, ALL, address, ORDER)
                : ByteVector.fromMemorySegment(BYTES, ALL, address, ORDER, LANES_OF_BYTES);
        return (IntVector) bytes.convertShape(VectorOperators.B2I, BITS, 0);
    }

    /** Bits of the FP32 values of finite codes. */
    private static IntVector finite(IntVector code, IntVector magnitude, Fp8 format) {
        FloatVector value = magnitude
                .lanewise(VectorOperators.LSHL, format.shift())
                .reinterpretAsFloats()
                .mul(format.toValue());
        return value.reinterpretAsInts().or(code.and(Integer.MIN_VALUE));
    }

    private static void decodeEachToBf16(long codes, int count, Fp8 format, long values) {
        for (int i = 0; i < count; i++) {
            Memory.setShort(values + i * 2L, Bf16.fromFloat(format.toFloat(Memory.getByte(codes + i))));
        }
    }

    private static void decodeEach(long codes, int count, Fp8 format, long values) {
        for (int i = 0; i < count; i++) {
            Memory.setFloat(values + i * 4L, format.toFloat(Memory.getByte(codes + i)));
        }
    }

    private Fp8Vectors() {}
}
