package io.hirundo.devicecpu.internal.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** The rotary embedding of {@link ReferenceRotary} with the Vector API, for FP32; a range of tokens at a time. */
final class VectorRotary {
  private final RotaryOperands operands;
  private final int dim;
  private final long fusedRowBytes;

  VectorRotary(RotaryOperands operands) {
    this.operands = operands;
    this.dim = operands.heads().dim();
    this.fusedRowBytes = operands.heads().fusedChannels() * 4;
  }

  void splitAndRotate(long firstToken, int tokens) {
    for (int token = (int) firstToken; token < firstToken + tokens; token++) {
      tokenHeads(token, true);
    }
  }

  void rotateBackAndJoin(long firstToken, int tokens) {
    for (int token = (int) firstToken; token < firstToken + tokens; token++) {
      tokenHeads(token, false);
    }
  }

  private void tokenHeads(int token, boolean split) {
    int queries = operands.heads().query();
    int keys = operands.heads().keyValue();
    long fused = operands.fused().address() + token * fusedRowBytes;
    long query = operands.split().query().address() + operands.splitRow(token, 0, queries) * dim * 4;
    long keyOffset = operands.splitRow(token, 0, keys) * dim * 4;
    rotateHeads(token, queries, fused, query, split);
    fused += queries * dim * 4L;
    rotateHeads(token, keys, fused, operands.split().key().address() + keyOffset, split);
    fused += keys * dim * 4L;
    long value = operands.split().value().address() + keyOffset;
    long headBytes = operands.sequenceTokens() * dim * 4L;
    for (int head = 0; head < keys; head++) {
      long inRow = fused + head * dim * 4L;
      long inHead = value + head * headBytes;
      copy(split ? inRow : inHead, split ? inHead : inRow, dim);
    }
  }

  private void rotateHeads(int token, int heads, long fused, long split, boolean forward) {
    int half = dim / 2;
    long angle = operands.position(token) * (half * 4L);
    long cos = operands.tables().cos().address() + angle;
    long sin = operands.tables().sin().address() + angle;
    long headBytes = operands.sequenceTokens() * dim * 4L;
    for (int head = 0; head < heads; head++) {
      long inRow = fused + head * dim * 4L;
      long inHead = split + head * headBytes;
      if (forward) {
        rotate(inRow, inHead, cos, sin, half, 1);
      } else {
        rotate(inHead, inRow, cos, sin, half, -1);
      }
    }
  }

  private static void rotate(long from, long to, long cos, long sin, int half, float direction) {
    int whole = (int) Lanes.wholeVectors(half);
    for (int d = 0; d < whole; d += Lanes.COUNT) {
      long at = d * 4L;
      FloatVector c = Lanes.load(cos + at);
      FloatVector s = Lanes.load(sin + at).mul(direction);
      FloatVector x1 = Lanes.load(from + at);
      FloatVector x2 = Lanes.load(from + half * 4L + at);
      Lanes.store(x1.mul(c).sub(x2.mul(s)), to + at);
      Lanes.store(x2.mul(c).add(x1.mul(s)), to + half * 4L + at);
    }
    if (whole < half) {
      VectorMask<Float> tail = Lanes.tail(half - whole);
      long at = whole * 4L;
      FloatVector c = Lanes.load(cos + at, tail);
      FloatVector s = Lanes.load(sin + at, tail).mul(direction);
      FloatVector x1 = Lanes.load(from + at, tail);
      FloatVector x2 = Lanes.load(from + half * 4L + at, tail);
      Lanes.store(x1.mul(c).sub(x2.mul(s)), to + at, tail);
      Lanes.store(x2.mul(c).add(x1.mul(s)), to + half * 4L + at, tail);
    }
  }

  private static void copy(long from, long to, int count) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      Lanes.store(Lanes.load(from + i * 4L), to + i * 4L);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      Lanes.store(Lanes.load(from + whole * 4L, tail), to + whole * 4L, tail);
    }
  }
}
