package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** FP32 vectors of the machine's width at native addresses, and sums of their lanes in an order that never changes. */
final class Lanes {
  static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
  static final int COUNT = FLOATS.length();
  static final int BYTES = FLOATS.vectorByteSize();

  private static final VectorShuffle<Float> BY_8 = rotation(8);
  private static final VectorShuffle<Float> BY_4 = rotation(4);
  private static final VectorShuffle<Float> BY_2 = rotation(2);
  private static final VectorShuffle<Float> BY_1 = rotation(1);

  private Lanes() {}

  static FloatVector load(long address) {
    return FloatVector.fromMemorySegment(FLOATS, Memory.ALL, address, Memory.ORDER);
  }

  /** Lanes outside the mask are 0 and their memory is not touched. */
  static FloatVector load(long address, VectorMask<Float> mask) {
    return FloatVector.fromMemorySegment(FLOATS, Memory.ALL, address, Memory.ORDER, mask);
  }

  static void store(FloatVector vector, long address) {
    vector.intoMemorySegment(Memory.ALL, address, Memory.ORDER);
  }

  static void store(FloatVector vector, long address, VectorMask<Float> mask) {
    vector.intoMemorySegment(Memory.ALL, address, Memory.ORDER, mask);
  }

  static FloatVector splat(float value) {
    return FloatVector.broadcast(FLOATS, value);
  }

  /** The float at an address, in every lane. */
  static FloatVector splatAt(long address) {
    return FloatVector.broadcast(FLOATS, Memory.getFloat(address));
  }

  /** The first {@code remaining} lanes. */
  static VectorMask<Float> tail(long remaining) {
    return FLOATS.indexInRange(0, remaining);
  }

  /** The largest multiple of the lane count that is at most {@code elements}. */
  static long wholeVectors(long elements) {
    return elements & -COUNT;
  }

  /** {@code elements} rounded up to whole vectors. */
  static int padded(int elements) {
    return (elements + COUNT - 1) & -COUNT;
  }

  /** The sum of the lanes, pairwise: lane l with l + count/2, and so on. */
  static float sum(FloatVector v) {
    FloatVector sum = v;
    if (COUNT > 8) {
      sum = sum.add(sum.rearrange(BY_8));
    }
    if (COUNT > 4) {
      sum = sum.add(sum.rearrange(BY_4));
    }
    if (COUNT > 2) {
      sum = sum.add(sum.rearrange(BY_2));
    }
    return sum.add(sum.rearrange(BY_1)).lane(0);
  }

  /** The largest lane. */
  static float max(FloatVector v) {
    FloatVector max = v;
    if (COUNT > 8) {
      max = larger(max, max.rearrange(BY_8));
    }
    if (COUNT > 4) {
      max = larger(max, max.rearrange(BY_4));
    }
    if (COUNT > 2) {
      max = larger(max, max.rearrange(BY_2));
    }
    return larger(max, max.rearrange(BY_1)).lane(0);
  }

  /** The larger of each lane. Two instructions where {@code lanewise(MAX)}, with its rules for NaN, needs seven; NaN in {@code b} is ignored. */
  static FloatVector larger(FloatVector a, FloatVector b) {
    return a.blend(b, b.compare(VectorOperators.GT, a));
  }

  private static VectorShuffle<Float> rotation(int distance) {
    return VectorShuffle.fromOp(FLOATS, lane -> (lane + distance) % FLOATS.length());
  }
}
