package io.hirundo.devicecpu.internal.vector;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.SHORTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Bf16;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** Loops over one block of elements, by address. */
public final class ElementwiseLoops {
    private ElementwiseLoops() {}

    public static void fill(long x, int count, float value) {
        int whole = Lanes.wholeVectors(count);
        FloatVector filled = broadcast(FLOATS, value);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            filled.intoMemorySegment(ALL, x + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(x + i * 4L, value);
        }
    }

    /** Zeroes bytes. Beyond the caches vector stores are faster than {@link Memory#zero}. */
    public static void zero(long x, long bytes) {
        long whole = bytes & -Lanes.BYTES;
        FloatVector zeros = broadcast(FLOATS, 0);
        for (long i = 0; i < whole; i += Lanes.BYTES) {
            zeros.intoMemorySegment(ALL, x + i, ORDER);
        }
        Memory.zero(x + whole, bytes - whole);
    }

    /** {@code x *= factor}. */
    public static void scale(long x, int count, float factor) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(factor).intoMemorySegment(ALL, x + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(x + i * 4L, Memory.getFloat(x + i * 4L) * factor);
        }
    }

    /** {@code into = x y}; into may be x. */
    public static void product(long x, long y, int count, long into) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector other = fromMemorySegment(FLOATS, ALL, y + i * 4L, ORDER);
            fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(other).intoMemorySegment(ALL, into + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(into + i * 4L, Memory.getFloat(x + i * 4L) * Memory.getFloat(y + i * 4L));
        }
    }

    /** {@code into = max(into, x)}, as {@link Math#max}: NaN is larger than all, and 0 than -0. */
    public static void maximum(long x, int count, long into) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector other = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            fromMemorySegment(FLOATS, ALL, into + i * 4L, ORDER)
                    .max(other)
                    .intoMemorySegment(ALL, into + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(into + i * 4L, Math.max(Memory.getFloat(into + i * 4L), Memory.getFloat(x + i * 4L)));
        }
    }

    /** {@code into = intoFactor into + xFactor x}. */
    public static void mix(long x, float xFactor, int count, long into, float intoFactor) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector kept =
                    fromMemorySegment(FLOATS, ALL, into + i * 4L, ORDER).mul(intoFactor);
            FloatVector added = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            added.fma(broadcast(FLOATS, xFactor), kept).intoMemorySegment(ALL, into + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = into + i * 4L;
            Memory.setFloat(at, Math.fma(Memory.getFloat(x + i * 4L), xFactor, Memory.getFloat(at) * intoFactor));
        }
    }

    /** {@code into += x}, both BF16, in pairs ({@link PairLanes}). */
    public static void addBf16(long x, int count, long into) {
        int whole = PairLanes.wholePairs(count);
        for (int i = 0; i < whole; i += PairLanes.COUNT) {
            IntVector xs = IntVector.fromMemorySegment(INTS, ALL, x + i * 2L, ORDER);
            IntVector old = IntVector.fromMemorySegment(INTS, ALL, into + i * 2L, ORDER);
            FloatVector evenX = xs.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector oddX = xs.and(HIGH).reinterpretAsFloats();
            IntVector even = old.lanewise(VectorOperators.LSHL, 16)
                    .reinterpretAsFloats()
                    .add(evenX)
                    .reinterpretAsInts();
            IntVector odd = old.and(HIGH).reinterpretAsFloats().add(oddX).reinterpretAsInts();
            even = even.add(even.lanewise(VectorOperators.LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .lanewise(VectorOperators.LSHR, 16);
            odd = odd.add(odd.lanewise(VectorOperators.LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .and(HIGH);
            even.or(odd).intoMemorySegment(ALL, into + i * 2L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            float sum = Bf16.toFloat(Memory.getShort(into + i * 2L)) + Bf16.toFloat(Memory.getShort(x + i * 2L));
            Memory.setShort(into + i * 2L, Bf16.fromFloat(sum));
        }
    }

    /** Rounds to nearest even, as {@link Bf16#fromFloat}. */
    public static void toBf16(long from, int count, long to) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector x = fromMemorySegment(FLOATS, ALL, from + i * 4L, ORDER);
            IntVector bits = x.reinterpretAsInts();
            IntVector high = bits.lanewise(VectorOperators.LSHR, 16);
            IntVector rounded = bits.add(high.and(1)).add(0x7fff).lanewise(VectorOperators.LSHR, 16);
            VectorMask<Integer> isNaN = x.compare(VectorOperators.NE, x).cast(INTS);
            ShortVector halves =
                    (ShortVector) rounded.blend(high.or(0x40), isNaN).convertShape(VectorOperators.I2S, SHORTS, 0);
            halves.intoMemorySegment(ALL, to + i * 2L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setShort(to + i * 2L, Bf16.fromFloat(Memory.getFloat(from + i * 4L)));
        }
    }

    public static void fromBf16(long from, int count, long to) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            ShortVector halves = ShortVector.fromMemorySegment(SHORTS, ALL, from + i * 2L, ORDER);
            IntVector bits = (IntVector) halves.convertShape(VectorOperators.S2I, INTS, 0);
            bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoMemorySegment(ALL, to + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(to + i * 4L, Bf16.toFloat(Memory.getShort(from + i * 2L)));
        }
    }
}
