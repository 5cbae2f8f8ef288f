package io.hirundo.devicecpu.internal.rope;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.tensor.DType;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * The rotary embedding of {@link ReferenceRotary} with the Vector API, for FP32, and for BF16 in {@link PairRotary}, or, with an
 * odd number of angles, with heads that are widened one by one; a range of tokens at a time.
 */
public final class VectorRotary {
    private final RotaryOperands operands;
    private final Heads heads;
    private final int dim;
    private final long headElements;
    private final long elementBytes;

    public VectorRotary(RotaryOperands operands) {
        this.operands = operands;
        this.heads = operands.heads();
        this.dim = heads.dim();
        this.headElements = (long) operands.sequenceTokens() * dim;
        this.elementBytes = operands.fused().dtype().byteSize();
    }

    public void splitAndRotate(long firstToken, int tokens, Scratch scratch) {
        run(firstToken, tokens, scratch, true);
    }

    public void rotateBackAndJoin(long firstToken, int tokens, Scratch scratch) {
        run(firstToken, tokens, scratch, false);
    }

    private void run(long firstToken, int tokens, Scratch scratch, boolean forward) {
        if (operands.fused().dtype() == DType.BF16 && PairRotary.serves(dim / 2)) {
            runPairs(firstToken, tokens, new PairRotary(dim / 2, scratch), forward);
            return;
        }
        WideSpan fused = WideSpan.of(operands.fused(), dim, scratch);
        Direction queries = new Direction(fused, WideSpan.of(operands.split().query(), dim, scratch), forward);
        Direction keys = new Direction(fused, WideSpan.of(operands.split().key(), dim, scratch), forward);
        for (int token = (int) firstToken; token < firstToken + tokens; token++) {
            long row = token * heads.fusedChannels();
            rotateHeads(token, row, heads.query(), queries);
            rotateHeads(token, row + heads.outputChannels(), heads.keyValue(), keys);
            copyValues(token, row + heads.outputChannels() + (long) heads.keyValue() * dim, forward);
        }
    }

    private void runPairs(long firstToken, int tokens, PairRotary rotary, boolean forward) {
        long angleBytes = dim / 2 * 4L;
        for (int token = (int) firstToken; token < firstToken + tokens; token++) {
            long angle = operands.position(token) * angleBytes;
            rotary.angles(
                    operands.tables().cos().address() + angle,
                    operands.tables().sin().address() + angle,
                    forward ? 1 : -1);
            long query = operands.fused().address() + token * heads.fusedChannels() * elementBytes;
            long key = query + heads.outputChannels() * elementBytes;
            long value = key + (long) heads.keyValue() * dim * elementBytes;
            move(rotary::rotate, query, operands.split().query(), token, heads.query(), forward);
            move(rotary::rotate, key, operands.split().key(), token, heads.keyValue(), forward);
            move(rotary::copy, value, operands.split().value(), token, heads.keyValue(), forward);
        }
    }

    /** Work on all heads of a token; they are so many bytes apart. */
    @FunctionalInterface
    private interface HeadsAction {
        void run(long from, long fromHeadBytes, long to, long toHeadBytes, int heads);
    }

    /** From a row to heads, or back. */
    private void move(HeadsAction action, long row, CpuTensor split, int token, int count, boolean forward) {
        long first = split.address() + operands.splitRow(token, 0, count) * dim * elementBytes;
        if (forward) {
            action.run(row, dim * elementBytes, first, headElements * elementBytes, count);
        } else {
            action.run(first, headElements * elementBytes, row, dim * elementBytes, count);
        }
    }

    /** From rows to heads, or back. */
    private record Direction(WideSpan fused, WideSpan split, boolean forward) {}

    private void rotateHeads(int token, long fusedElement, int count, Direction direction) {
        int half = dim / 2;
        long angle = operands.position(token) * (half * 4L);
        long cos = operands.tables().cos().address() + angle;
        long sin = operands.tables().sin().address() + angle;
        long firstHead = operands.splitRow(token, 0, count) * dim;
        for (int head = 0; head < count; head++) {
            long inRow = fusedElement + (long) head * dim;
            long inHead = firstHead + head * headElements;
            if (direction.forward) {
                rotate(direction.fused.read(inRow, dim), direction.split.target(inHead), cos, sin, half, 1);
                direction.split.store(inHead, dim);
            } else {
                rotate(direction.split.read(inHead, dim), direction.fused.target(inRow), cos, sin, half, -1);
                direction.fused.store(inRow, dim);
            }
        }
    }

    private void copyValues(int token, long fusedElement, boolean forward) {
        long firstHead = operands.splitRow(token, 0, heads.keyValue()) * dim;
        for (int head = 0; head < heads.keyValue(); head++) {
            long inRow = operands.fused().address() + (fusedElement + (long) head * dim) * elementBytes;
            long inHead = operands.split().value().address() + (firstHead + head * headElements) * elementBytes;
            Memory.copy(forward ? inRow : inHead, forward ? inHead : inRow, dim * elementBytes);
        }
    }

    /** {@code to1 = x1 cos - direction x2 sin, to2 = x2 cos + direction x1 sin}, for halves 1 and 2 of a head. */
    private static void rotate(long from, long to, long cos, long sin, int half, float direction) {
        int whole = Lanes.wholeVectors(half);
        long toSecond = half * 4L;
        for (int d = 0; d < whole; d += Lanes.COUNT) {
            long at = d * 4L;
            FloatVector c = fromMemorySegment(FLOATS, ALL, cos + at, ORDER);
            FloatVector s = fromMemorySegment(FLOATS, ALL, sin + at, ORDER).mul(direction);
            FloatVector x1 = fromMemorySegment(FLOATS, ALL, from + at, ORDER);
            FloatVector x2 = fromMemorySegment(FLOATS, ALL, from + toSecond + at, ORDER);
            x1.mul(c).sub(x2.mul(s)).intoMemorySegment(ALL, to + at, ORDER);
            x2.mul(c).add(x1.mul(s)).intoMemorySegment(ALL, to + toSecond + at, ORDER);
        }
        if (whole < half) {
            VectorMask<Float> tail = Lanes.tail(half - whole);
            long at = whole * 4L;
            FloatVector c = fromMemorySegment(FLOATS, ALL, cos + at, ORDER, tail);
            FloatVector s =
                    fromMemorySegment(FLOATS, ALL, sin + at, ORDER, tail).mul(direction);
            FloatVector x1 = fromMemorySegment(FLOATS, ALL, from + at, ORDER, tail);
            FloatVector x2 = fromMemorySegment(FLOATS, ALL, from + toSecond + at, ORDER, tail);
            x1.mul(c).sub(x2.mul(s)).intoMemorySegment(ALL, to + at, ORDER, tail);
            x2.mul(c).add(x1.mul(s)).intoMemorySegment(ALL, to + toSecond + at, ORDER, tail);
        }
    }
}
