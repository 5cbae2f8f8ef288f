package io.hirundo.devicecpu.internal.rope;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.vector.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.threads.Scratch;
import io.hirundo.devicecpu.internal.vector.Lanes;
import io.hirundo.devicecpu.internal.vector.WideSpan;
import io.hirundo.kernel.attention.Heads;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * The rotary embedding of {@link ReferenceRotary} with the Vector API, for FP32, and for BF16 whose heads are widened one by one;
 * a range of tokens at a time.
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
      FloatVector s = fromMemorySegment(FLOATS, ALL, sin + at, ORDER, tail).mul(direction);
      FloatVector x1 = fromMemorySegment(FLOATS, ALL, from + at, ORDER, tail);
      FloatVector x2 = fromMemorySegment(FLOATS, ALL, from + toSecond + at, ORDER, tail);
      x1.mul(c).sub(x2.mul(s)).intoMemorySegment(ALL, to + at, ORDER, tail);
      x2.mul(c).add(x1.mul(s)).intoMemorySegment(ALL, to + toSecond + at, ORDER, tail);
    }
  }
}
