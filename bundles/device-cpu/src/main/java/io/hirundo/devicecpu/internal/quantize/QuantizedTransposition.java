package io.hirundo.devicecpu.internal.quantize;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.vector.Lanes;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Transposes matrices of bytes. First four rows become integers whose bytes are those of a column, then integers of eight times
 * four rows are transposed as lanes of vectors. Written out for the reason that {@link Lanes} gives.
 */
final class QuantizedTransposition {
    /** Rows and columns that are transposed at once. */
    private static final int SQUARE = 32;

    /** Of {@link #tile}. */
    static final int EXTENT = 128;

    /** Scratch memory that {@link #tile} needs. */
    static final int FOURS_BYTES = EXTENT * EXTENT;

    private static final int FOUR = 4;

    /** Of four rows each, and columns. */
    private static final int LANES = SQUARE / FOUR;

    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_256;
    private static final boolean FAST = IntVector.SPECIES_PREFERRED.length() >= LANES;
    private static final VectorShuffle<Integer> SWAP_1 = swap(1);
    private static final VectorShuffle<Integer> SWAP_2 = swap(2);
    private static final VectorShuffle<Integer> SWAP_4 = swap(4);
    private static final VectorMask<Integer> ODD_1 = odd(1);
    private static final VectorMask<Integer> ODD_2 = odd(2);
    private static final VectorMask<Integer> ODD_4 = odd(4);

    private QuantizedTransposition() {}

    /**
     * {@code to[c][r] = from[r][c]} for at most {@link #EXTENT} rows and columns.
     *
     * @param fromBytes from a row to the next
     * @param toBytes from a row of the transposed matrix to the next
     * @param fours {@link #FOURS_BYTES} of scratch memory
     */
    static void tile(long from, long fromBytes, int rows, int columns, long to, long toBytes, long fours) {
        int wholeRows = FAST ? rows & -SQUARE : 0;
        int wholeColumns = wholeRows > 0 ? columns & -SQUARE : 0;
        for (int r = 0; r < wholeRows; r += FOUR) {
            ofFourRows(from + r * fromBytes, fromBytes, wholeColumns, fours + r / FOUR * SQUARE);
        }
        for (int c = 0; c < wholeColumns; c += SQUARE) {
            for (int byteOfInt = 0; byteOfInt < FOUR; byteOfInt++) {
                long vectors = fours + (c + byteOfInt * LANES) * (long) EXTENT;
                ofEightVectors(vectors, wholeRows, to + (c + byteOfInt) * toBytes, FOUR * toBytes);
            }
        }
        each(from, fromBytes, 0, rows, wholeColumns, columns, to, toBytes);
        each(from, fromBytes, wholeRows, rows, 0, wholeColumns, to, toBytes);
    }

    private static void each(
            long from, long fromBytes, int firstRow, int rows, int firstColumn, int columns, long to, long toBytes) {
        for (int c = firstColumn; c < columns; c++) {
            for (int r = firstRow; r < rows; r++) {
                Memory.setByte(to + c * toBytes + r, Memory.getByte(from + r * fromBytes + c));
            }
        }
    }

    /** Vectors of columns c, c + 4, and so on, for c from 0 to 3 of each 32; those of an earlier or later c are 32 vectors apart. */
    private static void ofFourRows(long from, long fromBytes, int columns, long fours) {
        for (int c = 0; c < columns; c += SQUARE) {
            IntVector r0 = IntVector.fromMemorySegment(INTS, ALL, from + c, ORDER);
            IntVector r1 = IntVector.fromMemorySegment(INTS, ALL, from + c + fromBytes, ORDER);
            IntVector r2 = IntVector.fromMemorySegment(INTS, ALL, from + c + 2 * fromBytes, ORDER);
            IntVector r3 = IntVector.fromMemorySegment(INTS, ALL, from + c + 3 * fromBytes, ORDER);
            IntVector even01 = r0.and(0xff00ff).or(r1.and(0xff00ff).lanewise(VectorOperators.LSHL, 8));
            IntVector even23 = r2.and(0xff00ff).or(r3.and(0xff00ff).lanewise(VectorOperators.LSHL, 8));
            IntVector odd01 = r0.lanewise(VectorOperators.LSHR, 8).and(0xff00ff).or(r1.and(0xff00ff00));
            IntVector odd23 = r2.lanewise(VectorOperators.LSHR, 8).and(0xff00ff).or(r3.and(0xff00ff00));
            long to = fours + c * (long) EXTENT;
            even01.and(0xffff).or(even23.lanewise(VectorOperators.LSHL, 16)).intoMemorySegment(ALL, to, ORDER);
            odd01.and(0xffff)
                    .or(odd23.lanewise(VectorOperators.LSHL, 16))
                    .intoMemorySegment(ALL, to + LANES * EXTENT, ORDER);
            even01.lanewise(VectorOperators.LSHR, 16)
                    .or(even23.and(0xffff0000))
                    .intoMemorySegment(ALL, to + 2 * LANES * EXTENT, ORDER);
            odd01.lanewise(VectorOperators.LSHR, 16)
                    .or(odd23.and(0xffff0000))
                    .intoMemorySegment(ALL, to + 3 * LANES * EXTENT, ORDER);
        }
    }

    /** Eight columns of so many rows. */
    private static void ofEightVectors(long from, int rows, long to, long toBytes) {
        for (int r = 0; r < rows; r += SQUARE) {
            long at = from + r * (long) LANES;
            IntVector a0 = IntVector.fromMemorySegment(INTS, ALL, at, ORDER);
            IntVector a1 = IntVector.fromMemorySegment(INTS, ALL, at + SQUARE, ORDER);
            IntVector a2 = IntVector.fromMemorySegment(INTS, ALL, at + 2 * SQUARE, ORDER);
            IntVector a3 = IntVector.fromMemorySegment(INTS, ALL, at + 3 * SQUARE, ORDER);
            IntVector a4 = IntVector.fromMemorySegment(INTS, ALL, at + 4 * SQUARE, ORDER);
            IntVector a5 = IntVector.fromMemorySegment(INTS, ALL, at + 5 * SQUARE, ORDER);
            IntVector a6 = IntVector.fromMemorySegment(INTS, ALL, at + 6 * SQUARE, ORDER);
            IntVector a7 = IntVector.fromMemorySegment(INTS, ALL, at + 7 * SQUARE, ORDER);
            IntVector b0 = a0.blend(a4.rearrange(SWAP_4), ODD_4);
            IntVector b1 = a1.blend(a5.rearrange(SWAP_4), ODD_4);
            IntVector b2 = a2.blend(a6.rearrange(SWAP_4), ODD_4);
            IntVector b3 = a3.blend(a7.rearrange(SWAP_4), ODD_4);
            IntVector b4 = a0.rearrange(SWAP_4).blend(a4, ODD_4);
            IntVector b5 = a1.rearrange(SWAP_4).blend(a5, ODD_4);
            IntVector b6 = a2.rearrange(SWAP_4).blend(a6, ODD_4);
            IntVector b7 = a3.rearrange(SWAP_4).blend(a7, ODD_4);
            IntVector c0 = b0.blend(b2.rearrange(SWAP_2), ODD_2);
            IntVector c1 = b1.blend(b3.rearrange(SWAP_2), ODD_2);
            IntVector c2 = b0.rearrange(SWAP_2).blend(b2, ODD_2);
            IntVector c3 = b1.rearrange(SWAP_2).blend(b3, ODD_2);
            IntVector c4 = b4.blend(b6.rearrange(SWAP_2), ODD_2);
            IntVector c5 = b5.blend(b7.rearrange(SWAP_2), ODD_2);
            IntVector c6 = b4.rearrange(SWAP_2).blend(b6, ODD_2);
            IntVector c7 = b5.rearrange(SWAP_2).blend(b7, ODD_2);
            long column = to + r;
            c0.blend(c1.rearrange(SWAP_1), ODD_1).intoMemorySegment(ALL, column, ORDER);
            c0.rearrange(SWAP_1).blend(c1, ODD_1).intoMemorySegment(ALL, column + toBytes, ORDER);
            c2.blend(c3.rearrange(SWAP_1), ODD_1).intoMemorySegment(ALL, column + 2 * toBytes, ORDER);
            c2.rearrange(SWAP_1).blend(c3, ODD_1).intoMemorySegment(ALL, column + 3 * toBytes, ORDER);
            c4.blend(c5.rearrange(SWAP_1), ODD_1).intoMemorySegment(ALL, column + 4 * toBytes, ORDER);
            c4.rearrange(SWAP_1).blend(c5, ODD_1).intoMemorySegment(ALL, column + 5 * toBytes, ORDER);
            c6.blend(c7.rearrange(SWAP_1), ODD_1).intoMemorySegment(ALL, column + 6 * toBytes, ORDER);
            c6.rearrange(SWAP_1).blend(c7, ODD_1).intoMemorySegment(ALL, column + 7 * toBytes, ORDER);
        }
    }

    private static VectorShuffle<Integer> swap(int distance) {
        return VectorShuffle.fromOp(INTS, lane -> lane ^ distance);
    }

    /** Lanes whose index has this bit. */
    private static VectorMask<Integer> odd(int bit) {
        long lanes = 0;
        for (int lane = 0; lane < LANES; lane++) {
            lanes |= (lane & bit) != 0 ? 1L << lane : 0;
        }
        return VectorMask.fromLong(INTS, lanes);
    }
}
