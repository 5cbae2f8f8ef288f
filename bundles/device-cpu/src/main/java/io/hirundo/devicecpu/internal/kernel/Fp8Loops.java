package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.Memory.ALL;
import static io.hirundo.devicecpu.internal.Memory.ORDER;
import static io.hirundo.devicecpu.internal.kernel.Lanes.FLOATS;
import static jdk.incubator.vector.FloatVector.fromMemorySegment;

import io.hirundo.devicecpu.internal.Fp8;
import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Loops over FP32 elements on their way to 8-bit codes, by address. */
final class Fp8Loops {
  /** At least as many bytes as there are lanes. */
  private static final VectorSpecies<Byte> BYTES =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, FLOATS.vectorBitSize() / 4)));

  private static final boolean FILLS_BYTES = BYTES.length() == Lanes.COUNT;
  private static final VectorMask<Byte> LANES_OF_BYTES = BYTES.indexInRange(0, Lanes.COUNT);
  private static final int EXPONENT = 0x7f800000;
  private static final int MAGNITUDE = 0x7fffffff;

  private Fp8Loops() {}

  /** The largest magnitude and {@code amax}; what is not a number does not count. */
  static float maximum(long x, int count, float amax) {
    int whole = Lanes.wholeVectors(count);
    FloatVector largest = FloatVector.broadcast(FLOATS, amax);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      FloatVector magnitude = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).abs();
      largest = largest.blend(magnitude, magnitude.compare(VectorOperators.GT, largest));
    }
    float result = largest.reduceLanes(VectorOperators.MAX);
    for (int i = whole; i < count; i++) {
      float magnitude = Math.abs(Memory.getFloat(x + i * 4L));
      result = magnitude > result ? magnitude : result;
    }
    return result;
  }

  /** {@code maxima[i] = max(maxima[i], |x[i]|)}; what is not a number does not count. */
  static void maxima(long x, int count, long maxima) {
    int whole = Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      FloatVector magnitude = fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).abs();
      FloatVector largest = fromMemorySegment(FLOATS, ALL, maxima + i * 4L, ORDER);
      largest.blend(magnitude, magnitude.compare(VectorOperators.GT, largest)).intoMemorySegment(ALL, maxima + i * 4L, ORDER);
    }
    for (int i = whole; i < count; i++) {
      float magnitude = Math.abs(Memory.getFloat(x + i * 4L));
      if (magnitude > Memory.getFloat(maxima + i * 4L)) {
        Memory.setFloat(maxima + i * 4L, magnitude);
      }
    }
  }

  /** Codes of {@code x scale}. */
  static void encode(long x, int count, float scale, Fp8 format, long codes) {
    int whole = Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      store(codes(fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(scale), format), codes + i);
    }
    for (int i = whole; i < count; i++) {
      Memory.setByte(codes + i, format.fromFloat(Memory.getFloat(x + i * 4L) * scale));
    }
  }

  /** Codes of {@code x[i] scales[i]}. */
  static void encodeEach(long x, int count, long scales, Fp8 format, long codes) {
    int whole = Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      FloatVector scale = fromMemorySegment(FLOATS, ALL, scales + i * 4L, ORDER);
      store(codes(fromMemorySegment(FLOATS, ALL, x + i * 4L, ORDER).mul(scale), format), codes + i);
    }
    for (int i = whole; i < count; i++) {
      Memory.setByte(codes + i, format.fromFloat(Memory.getFloat(x + i * 4L) * Memory.getFloat(scales + i * 4L)));
    }
  }

  /** As {@link Fp8#fromFloat}. */
  private static IntVector codes(FloatVector y, Fp8 format) {
    IntVector bits = y.reinterpretAsInts();
    IntVector magnitude = bits.and(MAGNITUDE);
    int shift = format.shift();
    IntVector normal =
        magnitude
            .add((1 << shift - 1) - 1)
            .add(magnitude.lanewise(VectorOperators.LSHR, shift).and(1))
            .lanewise(VectorOperators.LSHR, shift)
            .sub(format.exponentOffset());
    IntVector subnormal =
        y.abs().add(format.roundsSubnormals()).reinterpretAsInts().sub(Float.floatToRawIntBits(format.roundsSubnormals()));
    VectorMask<Integer> small = magnitude.compare(VectorOperators.LT, Float.floatToRawIntBits(format.leastNormal()));
    VectorMask<Integer> large = magnitude.compare(VectorOperators.GE, Float.floatToRawIntBits(format.maximum()));
    IntVector sign = bits.lanewise(VectorOperators.LSHR, 24).and(~Fp8.MAGNITUDE);
    return normal
        .blend(subnormal, small)
        .blend(format.maximumCode(), large)
        .or(sign)
        .blend(Fp8.NAN, magnitude.compare(VectorOperators.GT, EXPONENT));
  }

  private static void store(IntVector codes, long to) {
    ByteVector bytes = (ByteVector) codes.convertShape(VectorOperators.I2B, BYTES, 0);
    if (FILLS_BYTES) {
      bytes.intoMemorySegment(ALL, to, ORDER);
    } else {
      bytes.intoMemorySegment(ALL, to, ORDER, LANES_OF_BYTES);
    }
  }
}
