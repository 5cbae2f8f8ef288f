package io.hirundo.devicecpu.internal.rope;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.PairLanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * The rotary embedding of BF16 heads with an even number of angles, in pairs ({@link PairLanes}): all heads of a token at a time, whose
 * cosines and sines stay in registers. The same bits as by {@link VectorRotary}'s loop over widened heads.
 */
final class PairRotary {
    /** Pairs of half a head. */
    private final int pairs;

    private final long evenCos;
    private final long oddCos;
    private final long evenSin;
    private final long oddSin;

    /** @param half angles of a head */
    PairRotary(int half, Scratch scratch) {
        pairs = half / 2;
        long bytes = Lanes.padded(pairs) * 4L;
        evenCos = scratch.take(bytes);
        oddCos = scratch.take(bytes);
        evenSin = scratch.take(bytes);
        oddSin = scratch.take(bytes);
    }

    static boolean serves(int half) {
        return half % 2 == 0;
    }

    /** Of the next heads: addresses of a position's cosines and sines, and 1, or -1 to rotate back. */
    void angles(long cos, long sin, float direction) {
        for (int pair = 0; pair < pairs; pair++) {
            long to = pair * 4L;
            long from = pair * 8L;
            setFloat(evenCos + to, PairLanes.canonical(getFloat(cos + from)));
            setFloat(oddCos + to, PairLanes.canonical(getFloat(cos + from + 4)));
            setFloat(evenSin + to, direction * PairLanes.canonical(getFloat(sin + from)));
            setFloat(oddSin + to, direction * PairLanes.canonical(getFloat(sin + from + 4)));
        }
    }

    /** {@code to1 = x1 cos - x2 sin, to2 = x2 cos + x1 sin}, for halves 1 and 2 of each head; heads are so many bytes apart. */
    void rotate(long from, long fromHeadBytes, long to, long toHeadBytes, int heads) {
        long second = pairs * 4L;
        for (int pair = 0; pair < pairs; pair += Lanes.COUNT) {
            VectorMask<Integer> some = INTS.indexInRange(pair, pairs);
            long at = pair * 4L;
            FloatVector ec = fromMemorySegment(FLOATS, ALL, evenCos + at, ORDER);
            FloatVector oc = fromMemorySegment(FLOATS, ALL, oddCos + at, ORDER);
            FloatVector es = fromMemorySegment(FLOATS, ALL, evenSin + at, ORDER);
            FloatVector os = fromMemorySegment(FLOATS, ALL, oddSin + at, ORDER);
            for (int head = 0; head < heads; head++) {
                long in = from + head * fromHeadBytes + at;
                long out = to + head * toHeadBytes + at;
                IntVector x1 = IntVector.fromMemorySegment(INTS, ALL, in, ORDER, some);
                IntVector x2 = IntVector.fromMemorySegment(INTS, ALL, in + second, ORDER, some);
                FloatVector e1 = x1.lanewise(LSHL, 16).reinterpretAsFloats();
                FloatVector o1 = x1.and(HIGH).reinterpretAsFloats();
                FloatVector e2 = x2.lanewise(LSHL, 16).reinterpretAsFloats();
                FloatVector o2 = x2.and(HIGH).reinterpretAsFloats();
                IntVector ye1 = e1.mul(ec).sub(e2.mul(es)).reinterpretAsInts();
                IntVector yo1 = o1.mul(oc).sub(o2.mul(os)).reinterpretAsInts();
                IntVector ye2 = e2.mul(ec).add(e1.mul(es)).reinterpretAsInts();
                IntVector yo2 = o2.mul(oc).add(o1.mul(os)).reinterpretAsInts();
                ye1 = ye1.add(ye1.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
                yo1 = yo1.add(yo1.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
                ye2 = ye2.add(ye2.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
                yo2 = yo2.add(yo2.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
                ye1.or(yo1).intoMemorySegment(ALL, out, ORDER, some);
                ye2.or(yo2).intoMemorySegment(ALL, out + second, ORDER, some);
            }
        }
    }

    /** Copies heads as they are. */
    void copy(long from, long fromHeadBytes, long to, long toHeadBytes, int heads) {
        for (int pair = 0; pair < 2 * pairs; pair += Lanes.COUNT) {
            VectorMask<Integer> some = INTS.indexInRange(pair, 2 * pairs);
            long at = pair * 4L;
            for (int head = 0; head < heads; head++) {
                IntVector.fromMemorySegment(INTS, ALL, from + head * fromHeadBytes + at, ORDER, some)
                        .intoMemorySegment(ALL, to + head * toHeadBytes + at, ORDER, some);
            }
        }
    }
}
