package io.hirundo.devicecpu.internal.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** The loops of RMSNorm over the channels of one token; FP32, by address. */
final class NormRows {
  private static final int STEP = 2 * Lanes.COUNT;

  private NormRows() {}

  static float sumOfSquares(long x, int count) {
    int pairs = count & -STEP;
    FloatVector even = Lanes.splat(0);
    FloatVector odd = even;
    for (int i = 0; i < pairs; i += STEP) {
      FloatVector first = Lanes.load(x + i * 4L);
      FloatVector second = Lanes.load(x + i * 4L + Lanes.BYTES);
      even = first.fma(first, even);
      odd = second.fma(second, odd);
    }
    for (int i = pairs; i < count; i += Lanes.COUNT) {
      FloatVector rest = Lanes.load(x + i * 4L, Lanes.tail(count - i));
      even = rest.fma(rest, even);
    }
    return Lanes.sum(even.add(odd));
  }

  /** {@code sum of a b c}. */
  static float sumOfProducts(long a, long b, long c, int count) {
    int pairs = count & -STEP;
    FloatVector even = Lanes.splat(0);
    FloatVector odd = even;
    for (int i = 0; i < pairs; i += STEP) {
      long at = i * 4L;
      long next = at + Lanes.BYTES;
      even = Lanes.load(a + at).mul(Lanes.load(b + at)).fma(Lanes.load(c + at), even);
      odd = Lanes.load(a + next).mul(Lanes.load(b + next)).fma(Lanes.load(c + next), odd);
    }
    for (int i = pairs; i < count; i += Lanes.COUNT) {
      VectorMask<Float> tail = Lanes.tail(count - i);
      long at = i * 4L;
      even = Lanes.load(a + at, tail).mul(Lanes.load(b + at, tail)).fma(Lanes.load(c + at, tail), even);
    }
    return Lanes.sum(even.add(odd));
  }

  /** {@code sum = a + b}; sum may be either. */
  static void add(long a, long b, int count, long sum) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      Lanes.store(Lanes.load(a + at).add(Lanes.load(b + at)), sum + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      Lanes.store(Lanes.load(a + at, tail).add(Lanes.load(b + at, tail)), sum + at, tail);
    }
  }

  /** {@code y = x r w}. */
  static void apply(long x, long weight, float r, int count, long y) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      Lanes.store(Lanes.load(x + at).mul(r).mul(Lanes.load(weight + at)), y + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      Lanes.store(Lanes.load(x + at, tail).mul(r).mul(Lanes.load(weight + at, tail)), y + at, tail);
    }
  }

  /** {@code dx = r w dy + perX x}. */
  static void combine(long dy, long weight, long x, float r, float perX, int count, long dx) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      FloatVector direct = Lanes.load(dy + at).mul(Lanes.load(weight + at)).mul(r);
      Lanes.store(Lanes.load(x + at).fma(Lanes.splat(perX), direct), dx + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      FloatVector direct = Lanes.load(dy + at, tail).mul(Lanes.load(weight + at, tail)).mul(r);
      Lanes.store(Lanes.load(x + at, tail).fma(Lanes.splat(perX), direct), dx + at, tail);
    }
  }

  /** {@code dx = r w dy + perX x + residual}; dx may be residual. */
  static void combineAndAdd(
      long dy, long weight, long x, float r, float perX, long residual, int count, long dx) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      long at = i * 4L;
      FloatVector direct = Lanes.load(dy + at).mul(Lanes.load(weight + at)).mul(r);
      FloatVector own = Lanes.load(x + at).fma(Lanes.splat(perX), direct);
      Lanes.store(own.add(Lanes.load(residual + at)), dx + at);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      long at = whole * 4L;
      FloatVector direct = Lanes.load(dy + at, tail).mul(Lanes.load(weight + at, tail)).mul(r);
      FloatVector own = Lanes.load(x + at, tail).fma(Lanes.splat(perX), direct);
      Lanes.store(own.add(Lanes.load(residual + at, tail)), dx + at, tail);
    }
  }
}
