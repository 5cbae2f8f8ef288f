package io.hirundo.devicecpu.internal.kernel;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** The loops of softmax over one row; FP32, by address. */
final class SoftmaxRow {
  /** Floats whose exponentials are summed in FP32 before they go to the FP64 sum of the row. */
  private static final int CHUNK = 64 * Lanes.COUNT;

  private static final int STEP = 2 * Lanes.COUNT;

  private SoftmaxRow() {}

  /** The largest element. NaN is passed over; the exponentials keep it. */
  static float max(long row, int count) {
    int pairs = count & -STEP;
    FloatVector lowest = Lanes.splat(Float.NEGATIVE_INFINITY);
    FloatVector even = lowest;
    FloatVector odd = lowest;
    for (int i = 0; i < pairs; i += STEP) {
      even = Lanes.larger(even, Lanes.load(row + i * 4L));
      odd = Lanes.larger(odd, Lanes.load(row + i * 4L + Lanes.BYTES));
    }
    for (int i = pairs; i < count; i += Lanes.COUNT) {
      VectorMask<Float> tail = Lanes.tail(count - i);
      even = Lanes.larger(even, lowest.blend(Lanes.load(row + i * 4L, tail), tail));
    }
    return Lanes.max(Lanes.larger(even, odd));
  }

  /** Replaces each x by {@code exp(x - max)} and returns their sum. */
  static double exponentiate(long row, int count, float max) {
    double sum = 0;
    for (int first = 0; first < count; first += CHUNK) {
      sum += exponentiateChunk(row + first * 4L, Math.min(CHUNK, count - first), max);
    }
    return sum;
  }

  /** {@code sum of exp(x - max)}. */
  static double sumOfExponentials(long row, int count, float max) {
    double sum = 0;
    for (int first = 0; first < count; first += CHUNK) {
      sum += sumOfChunk(row + first * 4L, Math.min(CHUNK, count - first), max);
    }
    return sum;
  }

  /** {@code x *= factor}. */
  static void scale(long row, int count, float factor) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      Lanes.store(Lanes.load(row + i * 4L).mul(factor), row + i * 4L);
    }
    if (whole < count) {
      VectorMask<Float> tail = Lanes.tail(count - whole);
      Lanes.store(Lanes.load(row + whole * 4L, tail).mul(factor), row + whole * 4L, tail);
    }
  }

  private static float exponentiateChunk(long x, int count, float max) {
    int pairs = count & -STEP;
    FloatVector even = Lanes.splat(0);
    FloatVector odd = even;
    for (int i = 0; i < pairs; i += STEP) {
      long at = x + i * 4L;
      FloatVector first = VectorExp.expUpTo88(Lanes.load(at).sub(max));
      FloatVector second = VectorExp.expUpTo88(Lanes.load(at + Lanes.BYTES).sub(max));
      Lanes.store(first, at);
      Lanes.store(second, at + Lanes.BYTES);
      even = even.add(first);
      odd = odd.add(second);
    }
    for (int i = pairs; i < count; i += Lanes.COUNT) {
      VectorMask<Float> tail = Lanes.tail(count - i);
      long at = x + i * 4L;
      FloatVector rest = VectorExp.expUpTo88(Lanes.load(at, tail).sub(max));
      Lanes.store(rest, at, tail);
      even = even.add(rest, tail);
    }
    return Lanes.sum(even.add(odd));
  }

  private static float sumOfChunk(long x, int count, float max) {
    int pairs = count & -STEP;
    FloatVector even = Lanes.splat(0);
    FloatVector odd = even;
    for (int i = 0; i < pairs; i += STEP) {
      long at = x + i * 4L;
      even = even.add(VectorExp.expUpTo88(Lanes.load(at).sub(max)));
      odd = odd.add(VectorExp.expUpTo88(Lanes.load(at + Lanes.BYTES).sub(max)));
    }
    for (int i = pairs; i < count; i += Lanes.COUNT) {
      VectorMask<Float> tail = Lanes.tail(count - i);
      even = even.add(VectorExp.expUpTo88(Lanes.load(x + i * 4L, tail).sub(max)), tail);
    }
    return Lanes.sum(even.add(odd));
  }
}
