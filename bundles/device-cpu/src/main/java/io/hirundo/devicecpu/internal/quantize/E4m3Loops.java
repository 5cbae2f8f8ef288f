package io.hirundo.devicecpu.internal.quantize;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.kernel.scaled.ScaleBlock;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * FP32 elements to codes of E4M3, with fewer instructions than {@link Fp8Loops}, where no scaled element is larger than the
 * largest value: a rounded element whose exponent is less by what those of the types differ has all bits of its code. Of what is
 * no normal number of E4M3 the exponent then is one that no code has.
 */
final class E4m3Loops {
    private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, FLOATS.vectorShape());
    private static final VectorSpecies<Byte> BYTES = VectorSpecies.of(byte.class, FLOATS.vectorShape());
    private static final int BLOCK = ScaleBlock.EXTENT;
    private static final int VECTOR_BYTES = BYTES.length();
    private static final int VECTORS_OF_BLOCK = BLOCK / VECTOR_BYTES;

    /** First those at the lowest places of all lanes, then the next ones. */
    private static final VectorShuffle<Byte> IN_ORDER =
            VectorShuffle.fromOp(BYTES, to -> to % Lanes.COUNT * Integer.BYTES + to / Lanes.COUNT);

    /** Half of a code's last place less one, and the difference of the exponents: of the least normal number it becomes 0. */
    private static final int OFFSET = (1 << 19) - 1 - (121 << 23);

    /** Exponents that no code has. */
    private static final int BEYOND = 0x78000000;

    /** The least normal exponent, in each of four codes. */
    private static final int LEAST = 0x08080808;

    private E4m3Loops() {}

    /**
     * Codes of whole blocks of 128, at most 64.
     *
     * @param scales one for each block
     * @return a bit for each block that has something else than normal numbers, and whose codes are not all right. They are told after
     *     the loop, not mended within it: what is called there costs all others half their speed.
     */
    static long encode(long x, int blocks, long scales, long codes) {
        long others = 0;
        for (int block = 0; block < blocks; block++) {
            float scale = Memory.getFloat(scales + block * 4L);
            IntVector seen = IntVector.zero(INTS);
            for (int v = 0; v < VECTORS_OF_BLOCK; v++) {
                long i = block * (long) BLOCK + v * VECTOR_BYTES;
                long at = x + i * 4;
                IntVector y0 =
                        fromMemorySegment(FLOATS, ALL, at, ORDER).mul(scale).reinterpretAsInts();
                IntVector y1 = fromMemorySegment(FLOATS, ALL, at + Lanes.BYTES, ORDER)
                        .mul(scale)
                        .reinterpretAsInts();
                IntVector y2 = fromMemorySegment(FLOATS, ALL, at + 2 * Lanes.BYTES, ORDER)
                        .mul(scale)
                        .reinterpretAsInts();
                IntVector y3 = fromMemorySegment(FLOATS, ALL, at + 3 * Lanes.BYTES, ORDER)
                        .mul(scale)
                        .reinterpretAsInts();
                IntVector moved0 =
                        y0.lanewise(VectorOperators.LSHR, 20).and(1).add(y0).add(OFFSET);
                IntVector moved1 =
                        y1.lanewise(VectorOperators.LSHR, 20).and(1).add(y1).add(OFFSET);
                IntVector moved2 =
                        y2.lanewise(VectorOperators.LSHR, 20).and(1).add(y2).add(OFFSET);
                IntVector moved3 =
                        y3.lanewise(VectorOperators.LSHR, 20).and(1).add(y3).add(OFFSET);
                seen = seen.or(moved0.or(moved1)).or(moved2.or(moved3));
                IntVector magnitudes = moved0.lanewise(VectorOperators.LSHR, 20)
                        .and(0x7f)
                        .or(moved1.lanewise(VectorOperators.LSHR, 12).and(0x7f00))
                        .or(moved2.lanewise(VectorOperators.LSHR, 4)
                                .and(0x7f0000)
                                .or(moved3.lanewise(VectorOperators.LSHL, 4).and(0x7f000000)))
                        .add(LEAST);
                IntVector signs = moved0.lanewise(VectorOperators.LSHR, 24)
                        .and(0x80)
                        .or(moved1.lanewise(VectorOperators.LSHR, 16).and(0x8000))
                        .or(moved2.lanewise(VectorOperators.LSHR, 8)
                                .and(0x800000)
                                .or(moved3.and(0x80000000)));
                magnitudes.or(signs).reinterpretAsBytes().rearrange(IN_ORDER).intoMemorySegment(ALL, codes + i, ORDER);
            }
            others |= seen.and(BEYOND).compare(VectorOperators.NE, 0).anyTrue() ? 1L << block : 0;
        }
        return others;
    }
}
