package io.hirundo.devicecpu.internal.attention;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.NormRows;
import jdk.incubator.vector.FloatVector;

/** Moves rows of a head between tensors and attention's scratch tiles, whose rows are whole vectors; FP32, by address. */
final class TileRows {
    private static final int STEP = 4;

    private TileRows() {}

    /**
     * {@code to[channel, row] = factor from[row, channel]}, zeros behind the last row up to a whole vector.
     *
     * @param toRow bytes from one channel to the next in {@code to}
     */
    static void transpose(long from, long fromRow, int rows, int channels, float factor, long to, long toRow) {
        int fours = channels & -STEP;
        for (int channel = 0; channel < fours; channel += STEP) {
            long target = to + channel * toRow;
            long source = from + channel * 4L;
            for (int row = 0; row < rows; row++) {
                long in = source + row * fromRow;
                long out = target + row * 4L;
                setFloat(out, factor * getFloat(in));
                setFloat(out + toRow, factor * getFloat(in + 4));
                setFloat(out + 2 * toRow, factor * getFloat(in + 8));
                setFloat(out + 3 * toRow, factor * getFloat(in + 12));
            }
        }
        for (int channel = fours; channel < channels; channel++) {
            for (int row = 0; row < rows; row++) {
                setFloat(to + channel * toRow + row * 4L, factor * getFloat(from + channel * 4L + row * fromRow));
            }
        }
        for (int row = rows; row < Lanes.padded(rows); row++) {
            for (int channel = 0; channel < channels; channel++) {
                setFloat(to + channel * toRow + row * 4L, 0);
            }
        }
    }

    /** {@code to = factor from}; each row of {@code to} is filled with zeros up to {@code toRow} bytes, whole vectors. */
    static void copy(long from, long fromRow, int rows, int channels, float factor, long to, long toRow) {
        int padded = Lanes.padded(channels);
        for (int row = 0; row < rows; row++) {
            long target = to + row * toRow;
            write(from + row * fromRow, channels, factor, target);
            for (int channel = channels; channel < padded; channel++) {
                setFloat(target + channel * 4L, 0);
            }
        }
    }

    /** {@code to += from}, the first {@code channels} floats of each row. */
    static void add(long from, long fromRow, int rows, int channels, long to, long toRow) {
        for (int row = 0; row < rows; row++) {
            NormRows.add(to + row * toRow, from + row * fromRow, channels, to + row * toRow);
        }
    }

    /** {@code to = factor from}, one row; {@code to} may be {@code from}. */
    static void write(long from, int channels, float factor, long to) {
        int whole = Lanes.wholeVectors(channels);
        for (int channel = 0; channel < whole; channel += Lanes.COUNT) {
            long at = channel * 4L;
            fromMemorySegment(FLOATS, ALL, from + at, ORDER).mul(factor).intoMemorySegment(ALL, to + at, ORDER);
        }
        for (int channel = whole; channel < channels; channel++) {
            setFloat(to + channel * 4L, getFloat(from + channel * 4L) * factor);
        }
    }

    /** {@code sum of a b}. */
    static float dot(long a, long b, int count) {
        int whole = Lanes.wholeVectors(count);
        FloatVector sum = broadcast(FLOATS, 0);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector x = fromMemorySegment(FLOATS, ALL, a + i * 4L, ORDER);
            sum = x.fma(fromMemorySegment(FLOATS, ALL, b + i * 4L, ORDER), sum);
        }
        float rest = 0;
        for (int i = whole; i < count; i++) {
            rest = Math.fma(getFloat(a + i * 4L), getFloat(b + i * 4L), rest);
        }
        return Lanes.sum(sum) + rest;
    }
}
