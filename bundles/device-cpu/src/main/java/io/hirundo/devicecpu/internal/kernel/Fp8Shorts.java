package io.hirundo.devicecpu.internal.kernel;

import static io.hirundo.devicecpu.internal.Memory.ALL;
import static io.hirundo.devicecpu.internal.Memory.ORDER;

import io.hirundo.devicecpu.internal.Bf16;
import io.hirundo.devicecpu.internal.Fp8;
import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Loops over BF16 elements on their way to 8-bit codes by scales that are powers of two: in integers of 16 bits, twice as many in a
 * vector as there would be floats, and nothing is widened. A scale moves the exponent, and a mantissa of 7 bits is rounded to the
 * code's.
 */
final class Fp8Shorts {
  private static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, Lanes.FLOATS.vectorShape());
  private static final int COUNT = SHORTS.length();

  /** As many bytes; none where a vector of 16 bits has fewer than 64 bits of them. */
  private static final VectorSpecies<Byte> BYTES =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, SHORTS.vectorBitSize() / 2)));

  private static final short MAGNITUDE = 0x7fff;
  private static final int INFINITY = 0x7f80;
  private static final int MANTISSA_BITS = 7;
  private static final int FP32_BIAS = 127;

  private Fp8Shorts() {}

  /** The bits of the largest magnitude, which may be infinite; above {@link #INFINITY} where one is not a number. */
  static int maximum(long x, int count) {
    int whole = SHORTS.loopBound(count);
    ShortVector largest = ShortVector.zero(SHORTS);
    for (int i = 0; i < whole; i += COUNT) {
      largest = largest.max(ShortVector.fromMemorySegment(SHORTS, ALL, x + i * 2L, ORDER).and(MAGNITUDE));
    }
    int found = largest.reduceLanes(VectorOperators.MAX);
    for (int i = whole; i < count; i++) {
      found = Math.max(found, Memory.getShort(x + i * 2L) & MAGNITUDE);
    }
    return found;
  }

  /**
   * Whether {@link #encode} can do it: all are finite, and so large an exponent does not make normal numbers of those of BF16 that
   * are not.
   *
   * @param maximum as {@link #maximum} found it
   */
  static boolean canEncode(int maximum, float scale, Fp8 format) {
    int exponent = Math.getExponent(scale);
    return COUNT == BYTES.length() && maximum < INFINITY && exponent >= Float.MIN_EXPONENT
        && exponent + format.bias() < FP32_BIAS;
  }

  /** Codes of {@code x scale}, whose scale is a power of two that this {@link #canEncode} with. */
  static void encode(long x, int count, float scale, Fp8 format, long codes) {
    int dropped = format.shift() - Fp8.BF16_SHIFT;
    short offset = (short) (Math.getExponent(scale) + format.bias() - FP32_BIAS << MANTISSA_BITS);
    short half = (short) ((1 << dropped - 1) - 1);
    short most = (short) format.maximumCode();
    short normal = 1 << MANTISSA_BITS;
    // Half of the least code, and whatever is smaller, become 0.
    short nothing = (short) (-(MANTISSA_BITS - dropped) << MANTISSA_BITS);
    int whole = SHORTS.loopBound(count);
    for (int i = 0; i < whole; i += COUNT) {
      ShortVector bits = ShortVector.fromMemorySegment(SHORTS, ALL, x + i * 2L, ORDER);
      ShortVector moved = bits.and(MAGNITUDE).add(offset);
      ShortVector even = moved.lanewise(VectorOperators.LSHR, dropped).and((short) 1);
      ShortVector code = moved.add(half).add(even).lanewise(VectorOperators.ASHR, dropped).min(most);
      var small = moved.compare(VectorOperators.LT, normal);
      if (small.anyTrue()) {
        if (small.and(moved.compare(VectorOperators.GT, nothing)).anyTrue()) {
          encodeEach(x + i * 2L, COUNT, scale, format, codes + i);
          continue;
        }
        code = code.blend((short) 0, small);
      }
      ShortVector sign = bits.lanewise(VectorOperators.LSHR, 8).and((short) 0x80);
      ((ByteVector) code.or(sign).convertShape(VectorOperators.S2B, BYTES, 0)).intoMemorySegment(ALL, codes + i, ORDER);
    }
    encodeEach(x + whole * 2L, count - whole, scale, format, codes + whole);
  }

  private static void encodeEach(long x, int count, float scale, Fp8 format, long codes) {
    for (int i = 0; i < count; i++) {
      Memory.setByte(codes + i, format.fromFloat(Bf16.toFloat(Memory.getShort(x + i * 2L)) * scale));
    }
  }
}
