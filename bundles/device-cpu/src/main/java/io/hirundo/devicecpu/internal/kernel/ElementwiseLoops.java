package io.hirundo.devicecpu.internal.kernel;

import io.hirundo.devicecpu.internal.Bf16;
import io.hirundo.devicecpu.internal.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Loops over one block of elements, by address. */
final class ElementwiseLoops {
  private static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, Lanes.FLOATS.vectorShape());
  /** As many BF16 elements as there are lanes. */
  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));

  private ElementwiseLoops() {}

  static void fill(long x, int count, float value) {
    int whole = (int) Lanes.wholeVectors(count);
    FloatVector filled = Lanes.splat(value);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      Lanes.store(filled, x + i * 4L);
    }
    for (int i = whole; i < count; i++) {
      Memory.setFloat(x + i * 4L, value);
    }
  }

  /** Rounds to nearest even, as {@link Bf16#fromFloat}. */
  static void toBf16(long from, int count, long to) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      FloatVector x = Lanes.load(from + i * 4L);
      IntVector bits = x.reinterpretAsInts();
      IntVector high = bits.lanewise(VectorOperators.LSHR, 16);
      IntVector rounded = bits.add(high.and(1)).add(0x7fff).lanewise(VectorOperators.LSHR, 16);
      VectorMask<Integer> isNaN = x.compare(VectorOperators.NE, x).cast(INTS);
      ShortVector halves = (ShortVector) rounded.blend(high.or(0x40), isNaN).convertShape(VectorOperators.I2S, SHORTS, 0);
      halves.intoMemorySegment(Memory.ALL, to + i * 2L, Memory.ORDER);
    }
    for (int i = whole; i < count; i++) {
      Memory.setShort(to + i * 2L, Bf16.fromFloat(Memory.getFloat(from + i * 4L)));
    }
  }

  static void fromBf16(long from, int count, long to) {
    int whole = (int) Lanes.wholeVectors(count);
    for (int i = 0; i < whole; i += Lanes.COUNT) {
      ShortVector halves = ShortVector.fromMemorySegment(SHORTS, Memory.ALL, from + i * 2L, Memory.ORDER);
      IntVector bits = (IntVector) halves.convertShape(VectorOperators.S2I, INTS, 0);
      Lanes.store(bits.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats(), to + i * 4L);
    }
    for (int i = whole; i < count; i++) {
      Memory.setFloat(to + i * 4L, Bf16.toFloat(Memory.getShort(from + i * 2L)));
    }
  }
}
