package io.hirundo.devicecpu.internal.mlp;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.FastExp.EXPONENT_MAGIC;
import static io.hirundo.devicecpu.internal.vector.FastExp.HIGHEST;
import static io.hirundo.devicecpu.internal.vector.FastExp.LOG2_E;
import static io.hirundo.devicecpu.internal.vector.FastExp.LOWEST;
import static io.hirundo.devicecpu.internal.vector.FastExp.P0;
import static io.hirundo.devicecpu.internal.vector.FastExp.P1;
import static io.hirundo.devicecpu.internal.vector.FastExp.P2;
import static io.hirundo.devicecpu.internal.vector.FastExp.P3;
import static io.hirundo.devicecpu.internal.vector.FastExp.P4;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HALF_DOWN;
import static io.hirundo.devicecpu.internal.vector.PairLanes.HIGH;
import static io.hirundo.devicecpu.internal.vector.PairLanes.INTS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;

import io.hirundo.devicecpu.internal.vector.PairLanes;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * SwiGLU of BF16 in one pass, in pairs ({@link PairLanes}) with {@code FastExp}; formulas at {@link GatedMlpLoops}. By address, as many elements
 * as whole pairs of vectors have. A pass for elements of even index, and one for those of odd index, share the loop.
 */
final class SiluPairs {
    private SiluPairs() {}

    /** {@code y = gate up / (1 + exp(-gate))}. */
    static void forward(long gate, long up, int count, long y) {
        for (int i = 0; i < count; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector gates = IntVector.fromMemorySegment(INTS, ALL, gate + at, ORDER);
            IntVector ups = IntVector.fromMemorySegment(INTS, ALL, up + at, ORDER);
            FloatVector evenGate = gates.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector oddGate = gates.and(HIGH).reinterpretAsFloats();

            FloatVector t = evenGate.mul(-LOG2_E);
            t = t.blend(HIGHEST, t.compare(GT, HIGHEST)).blend(LOWEST, t.compare(LT, LOWEST));
            FloatVector exponent = t.add(EXPONENT_MAGIC);
            FloatVector f = t.sub(exponent.sub(EXPONENT_MAGIC));
            FloatVector p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            FloatVector divisor =
                    p.fma(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats(), broadcast(FLOATS, 1f));
            IntVector even = evenGate.mul(ups.lanewise(LSHL, 16).reinterpretAsFloats())
                    .div(divisor)
                    .reinterpretAsInts();

            t = oddGate.mul(-LOG2_E);
            t = t.blend(HIGHEST, t.compare(GT, HIGHEST)).blend(LOWEST, t.compare(LT, LOWEST));
            exponent = t.add(EXPONENT_MAGIC);
            f = t.sub(exponent.sub(EXPONENT_MAGIC));
            p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            divisor =
                    p.fma(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats(), broadcast(FLOATS, 1f));
            IntVector odd = oddGate.mul(ups.and(HIGH).reinterpretAsFloats())
                    .div(divisor)
                    .reinterpretAsInts();

            even = even.add(even.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
            odd = odd.add(odd.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            even.or(odd).intoMemorySegment(ALL, y + at, ORDER);
        }
    }

    /** {@code dGate = dy up s (1 + gate (1 - s))} and {@code dUp = dy gate s}. */
    static void backward(GatedMlpLoops.Given given, int count, long dGate, long dUp) {
        long dy = given.dy();
        long gate = given.gate();
        long up = given.up();
        for (int i = 0; i < count; i += PairLanes.COUNT) {
            long at = i * 2L;
            IntVector gates = IntVector.fromMemorySegment(INTS, ALL, gate + at, ORDER);
            IntVector ups = IntVector.fromMemorySegment(INTS, ALL, up + at, ORDER);
            IntVector dys = IntVector.fromMemorySegment(INTS, ALL, dy + at, ORDER);

            FloatVector g = gates.lanewise(LSHL, 16).reinterpretAsFloats();
            FloatVector t = g.mul(-LOG2_E);
            t = t.blend(HIGHEST, t.compare(GT, HIGHEST)).blend(LOWEST, t.compare(LT, LOWEST));
            FloatVector exponent = t.add(EXPONENT_MAGIC);
            FloatVector f = t.sub(exponent.sub(EXPONENT_MAGIC));
            FloatVector p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            FloatVector divisor =
                    p.fma(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats(), broadcast(FLOATS, 1f));
            FloatVector s = broadcast(FLOATS, 1f).div(divisor);
            FloatVector slope = broadcast(FLOATS, 1f).sub(s).fma(g, broadcast(FLOATS, 1f));
            FloatVector product = dys.lanewise(LSHL, 16).reinterpretAsFloats().mul(s);
            IntVector evenGate = product.mul(ups.lanewise(LSHL, 16).reinterpretAsFloats())
                    .mul(slope)
                    .reinterpretAsInts();
            IntVector evenUp = product.mul(g).reinterpretAsInts();

            g = gates.and(HIGH).reinterpretAsFloats();
            t = g.mul(-LOG2_E);
            t = t.blend(HIGHEST, t.compare(GT, HIGHEST)).blend(LOWEST, t.compare(LT, LOWEST));
            exponent = t.add(EXPONENT_MAGIC);
            f = t.sub(exponent.sub(EXPONENT_MAGIC));
            p = f.fma(broadcast(FLOATS, P4), broadcast(FLOATS, P3)).fma(f, broadcast(FLOATS, P2));
            p = p.fma(f, broadcast(FLOATS, P1)).fma(f, broadcast(FLOATS, P0));
            divisor =
                    p.fma(exponent.reinterpretAsInts().lanewise(LSHL, 23).reinterpretAsFloats(), broadcast(FLOATS, 1f));
            s = broadcast(FLOATS, 1f).div(divisor);
            slope = broadcast(FLOATS, 1f).sub(s).fma(g, broadcast(FLOATS, 1f));
            product = dys.and(HIGH).reinterpretAsFloats().mul(s);
            IntVector oddGate =
                    product.mul(ups.and(HIGH).reinterpretAsFloats()).mul(slope).reinterpretAsInts();
            IntVector oddUp = product.mul(g).reinterpretAsInts();

            evenGate = evenGate.add(evenGate.lanewise(LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .lanewise(LSHR, 16);
            oddGate = oddGate.add(oddGate.lanewise(LSHR, 16).and(1))
                    .add(HALF_DOWN)
                    .and(HIGH);
            evenUp = evenUp.add(evenUp.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).lanewise(LSHR, 16);
            oddUp = oddUp.add(oddUp.lanewise(LSHR, 16).and(1)).add(HALF_DOWN).and(HIGH);
            evenGate.or(oddGate).intoMemorySegment(ALL, dGate + at, ORDER);
            evenUp.or(oddUp).intoMemorySegment(ALL, dUp + at, ORDER);
        }
    }
}
