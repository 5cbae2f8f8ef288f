package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Vectors of BF16 elements in memory, FP32 in registers. */
final class Bf16Vectors {
    private static final VectorSpecies<Integer> BITS = LANES.withLanes(int.class);
    private static final VectorSpecies<Short> HALVES =
            VectorSpecies.of(short.class, VectorShape.forBitSize(LANES.vectorBitSize() / 2));

    static FloatVector load(long address) {
        return widen(ShortVector.fromMemorySegment(HALVES, ALL, address, ORDER));
    }

    /** Lanes outside the mask are 0, and their memory is not touched. */
    static FloatVector load(long address, VectorMask<Float> mask) {
        return widen(ShortVector.fromMemorySegment(HALVES, ALL, address, ORDER, mask.cast(HALVES)));
    }

    private static FloatVector widen(ShortVector halves) {
        return ((IntVector) halves.convertShape(VectorOperators.ZERO_EXTEND_S2I, BITS, 0))
                .lanewise(VectorOperators.LSHL, 16)
                .reinterpretAsFloats();
    }

    /** Rounds to nearest, ties to even; a NaN stays one. */
    static void store(FloatVector values, long address, VectorMask<Float> mask) {
        IntVector bits = values.reinterpretAsInts();
        IntVector upper = bits.lanewise(VectorOperators.LSHR, 16);
        IntVector rounded = bits.add(0x7fff).add(upper.and(1)).lanewise(VectorOperators.LSHR, 16);
        VectorMask<Integer> nan = values.test(VectorOperators.IS_NAN).cast(BITS);
        ((ShortVector) rounded.blend(upper.or(0x40), nan).convertShape(VectorOperators.I2S, HALVES, 0))
                .intoMemorySegment(ALL, address, ORDER, mask.cast(HALVES));
    }

    /** Stores the upper halves of FP32 values, all of whose other bits are 0. */
    static void storeUpper(IntVector bits, long address) {
        ((ShortVector) bits.lanewise(VectorOperators.LSHR, 16).convertShape(VectorOperators.I2S, HALVES, 0))
                .intoMemorySegment(ALL, address, ORDER);
    }

    private Bf16Vectors() {}
}
