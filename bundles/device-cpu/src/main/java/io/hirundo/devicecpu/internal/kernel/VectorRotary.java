package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.Memory.ALL;
import static io.hirundo.devicecpu.internal.Memory.ORDER;
import static io.hirundo.devicecpu.internal.kernel.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** The rotary embedding of {@link ReferenceRotary} with the Vector API, for FP32; a range of tokens at a time. */
final class VectorRotary {
  private final RotaryOperands operands;
  private final int dim;
  private final long headBytes;
  private final long fusedRowBytes;

  VectorRotary(RotaryOperands operands) {
    this.operands = operands;
    this.dim = operands.heads().dim();
    this.headBytes = operands.sequenceTokens() * dim * 4L;
    this.fusedRowBytes = operands.heads().fusedChannels() * 4;
  }

  void splitAndRotate(long firstToken, int tokens) {
    for (int token = (int) firstToken; token < firstToken + tokens; token++) {
      Heads heads = heads(token);
      rotateHeads(token, heads.queries, heads.fused, heads.query, true);
      rotateHeads(token, heads.keys, heads.fusedKeys(dim), heads.key, true);
      long value = heads.fusedValues(dim);
      for (int head = 0; head < heads.keys; head++) {
        Memory.copy(value + head * dim * 4L, heads.value + head * headBytes, dim * 4L);
      }
    }
  }

  void rotateBackAndJoin(long firstToken, int tokens) {
    for (int token = (int) firstToken; token < firstToken + tokens; token++) {
      Heads heads = heads(token);
      rotateHeads(token, heads.queries, heads.fused, heads.query, false);
      rotateHeads(token, heads.keys, heads.fusedKeys(dim), heads.key, false);
      long value = heads.fusedValues(dim);
      for (int head = 0; head < heads.keys; head++) {
        Memory.copy(heads.value + head * headBytes, value + head * dim * 4L, dim * 4L);
      }
    }
  }

  /** Where a token's row and its first heads are. */
  private record Heads(int queries, int keys, long fused, long query, long key, long value) {
    long fusedKeys(int dim) {
      return fused + queries * dim * 4L;
    }

    long fusedValues(int dim) {
      return fused + (queries + keys) * dim * 4L;
    }
  }

  private Heads heads(int token) {
    int queries = operands.heads().query();
    int keys = operands.heads().keyValue();
    long keyOffset = operands.splitRow(token, 0, keys) * dim * 4;
    return new Heads(
        queries,
        keys,
        operands.fused().address() + token * fusedRowBytes,
        operands.split().query().address() + operands.splitRow(token, 0, queries) * dim * 4,
        operands.split().key().address() + keyOffset,
        operands.split().value().address() + keyOffset);
  }

  private void rotateHeads(int token, int heads, long fused, long split, boolean forward) {
    int half = dim / 2;
    long angle = operands.position(token) * (half * 4L);
    long cos = operands.tables().cos().address() + angle;
    long sin = operands.tables().sin().address() + angle;
    for (int head = 0; head < heads; head++) {
      long inRow = fused + head * dim * 4L;
      long inHead = split + head * headBytes;
      rotate(forward ? inRow : inHead, forward ? inHead : inRow, cos, sin, half, forward ? 1 : -1);
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
