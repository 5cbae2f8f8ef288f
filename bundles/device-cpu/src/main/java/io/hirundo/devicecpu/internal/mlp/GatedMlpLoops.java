package io.hirundo.devicecpu.internal.mlp;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.memory.Memory.getFloat;
import static io.hirundo.devicecpu.internal.memory.Memory.setFloat;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.broadcast;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.VectorExp;
import io.hirundo.kernel.GateActivation;
import jdk.incubator.vector.FloatVector;

/**
 * The loops of gated MLPs over channels of one token; FP32, by address. An object holds a task's scratch memory. Both activations are
 * {@code x s} with {@code s = 1 / (1 + exp(-z))}: {@code z = x} for SiLU, and {@code z = x (A + B x²)} for GELU by the hyperbolic tangent,
 * because {@code (1 + tanh(u)) / 2 = 1 / (1 + exp(-2 u))}.
 */
final class GatedMlpLoops {
    /** {@code 2 sqrt(2 / pi)}. */
    static final double A = 2 * Math.sqrt(2 / Math.PI);

    static final double B = 0.044715 * A;

    /** Channels at a time: their exponentials stay in the L1 cache. */
    static final int CHUNK = 1024;

    private final boolean isGelu;
    private final long exponentials;
    private final long zeros;
    private final long unused;

    GatedMlpLoops(GateActivation activation, Scratch scratch) {
        isGelu = activation == GateActivation.GELU_TANH;
        exponentials = scratch.take(CHUNK * 4L + Lanes.BYTES);
        zeros = scratch.take(Lanes.BYTES);
        unused = scratch.take(Lanes.BYTES);
        Memory.zero(zeros, Lanes.BYTES);
        Memory.zero(unused, Lanes.BYTES);
    }

    /** Addresses of the output's gradient and of what the forward was given. */
    record Given(long dy, long gate, long up) {}

    /** {@code y = gate up s}. */
    void forward(long gate, long up, int count, long y) {
        exponentiate(gate, count);
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector g = fromMemorySegment(FLOATS, ALL, gate + at, ORDER);
            FloatVector product = g.mul(fromMemorySegment(FLOATS, ALL, up + at, ORDER));
            FloatVector divisor =
                    fromMemorySegment(FLOATS, ALL, exponentials + at, ORDER).add(1);
            product.div(divisor).intoMemorySegment(ALL, y + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = i * 4L;
            setFloat(y + at, getFloat(gate + at) * getFloat(up + at) / (getFloat(exponentials + at) + 1));
        }
    }

    /**
     * {@code dGate = dy up s (1 + gate z' (1 - s))} and {@code dUp = dy gate s}.
     *
     * @param dGate may be {@code given.gate}, and {@code dUp} {@code given.up}
     */
    void backward(Given given, long dGate, long dUp, int count) {
        if (isGelu) {
            geluBackward(given, dGate, dUp, count);
        } else {
            siluBackward(given, dGate, dUp, count);
        }
    }

    private void siluBackward(Given given, long dGate, long dUp, int count) {
        long dy = given.dy;
        long gate = given.gate;
        exponentiate(gate, count);
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector divisor =
                    fromMemorySegment(FLOATS, ALL, exponentials + at, ORDER).add(1);
            FloatVector s = broadcast(FLOATS, 1).div(divisor);
            FloatVector g = fromMemorySegment(FLOATS, ALL, gate + at, ORDER);
            FloatVector slope = broadcast(FLOATS, 1).sub(s).fma(g, broadcast(FLOATS, 1));
            FloatVector product = fromMemorySegment(FLOATS, ALL, dy + at, ORDER).mul(s);
            FloatVector up = fromMemorySegment(FLOATS, ALL, given.up + at, ORDER);
            product.mul(up).mul(slope).intoMemorySegment(ALL, dGate + at, ORDER);
            product.mul(g).intoMemorySegment(ALL, dUp + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = i * 4L;
            float s = 1 / (getFloat(exponentials + at) + 1);
            float g = getFloat(gate + at);
            float product = getFloat(dy + at) * s;
            float up = getFloat(given.up + at);
            setFloat(dGate + at, product * up * Math.fma(1 - s, g, 1));
            setFloat(dUp + at, product * g);
        }
    }

    private void geluBackward(Given given, long dGate, long dUp, int count) {
        long dy = given.dy;
        long gate = given.gate;
        exponentiate(gate, count);
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            long at = i * 4L;
            FloatVector divisor =
                    fromMemorySegment(FLOATS, ALL, exponentials + at, ORDER).add(1);
            FloatVector s = broadcast(FLOATS, 1).div(divisor);
            FloatVector g = fromMemorySegment(FLOATS, ALL, gate + at, ORDER);
            FloatVector gz = g.mul(g)
                    .fma(broadcast(FLOATS, (float) (3 * B)), broadcast(FLOATS, (float) A))
                    .mul(g);
            FloatVector slope = broadcast(FLOATS, 1).sub(s).fma(gz, broadcast(FLOATS, 1));
            FloatVector product = fromMemorySegment(FLOATS, ALL, dy + at, ORDER).mul(s);
            FloatVector up = fromMemorySegment(FLOATS, ALL, given.up + at, ORDER);
            product.mul(up).mul(slope).intoMemorySegment(ALL, dGate + at, ORDER);
            product.mul(g).intoMemorySegment(ALL, dUp + at, ORDER);
        }
        for (int i = whole; i < count; i++) {
            long at = i * 4L;
            float s = 1 / (getFloat(exponentials + at) + 1);
            float g = getFloat(gate + at);
            float product = getFloat(dy + at) * s;
            float up = getFloat(given.up + at);
            setFloat(dGate + at, product * up * Math.fma(1 - s, Math.fma(g * g, (float) (3 * B), (float) A) * g, 1));
            setFloat(dUp + at, product * g);
        }
    }

    /** {@code exponentials = exp(-z)}. */
    private void exponentiate(long gate, int count) {
        if (isGelu) {
            polynomials(gate, count);
            exponentiateEach(exponentials, count);
        } else {
            exponentiateEach(gate, count);
        }
    }

    /** {@code exponentials = x (A + B x²)}. */
    private void polynomials(long x, int count) {
        int whole = Lanes.wholeVectors(count);
        for (int i = 0; i < whole; i += Lanes.COUNT) {
            FloatVector g = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER);
            FloatVector factor = g.mul(g).fma(broadcast(FLOATS, (float) B), broadcast(FLOATS, (float) A));
            factor.mul(g).intoMemorySegment(ALL, exponentials + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            float g = getFloat(x + i * 4L);
            setFloat(exponentials + i * 4L, Math.fma(g * g, (float) B, (float) A) * g);
        }
    }

    /** {@code exponentials = exp(-x)}; x may be the exponentials. */
    private void exponentiateEach(long gate, int count) {
        int whole = Lanes.wholeVectors(count);
        VectorExp.exp(gate, exponentials, Lanes.BYTES, whole / Lanes.COUNT, -1, zeros, unused);
        if (whole < count) {
            long rest = exponentials + whole * 4L;
            if (rest != gate + whole * 4L) {
                Memory.zero(rest, Lanes.BYTES);
                Memory.copy(gate + whole * 4L, rest, (count - whole) * 4L);
            }
            VectorExp.exp(rest, rest, Lanes.BYTES, 1, -1, zeros, unused);
        }
    }
}
