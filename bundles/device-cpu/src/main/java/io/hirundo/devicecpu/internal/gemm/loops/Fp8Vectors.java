package io.hirundo.devicecpu.internal.gemm.loops;

import static io.hirundo.devicecpu.internal.memory.Memory.ALL;
import static io.hirundo.devicecpu.internal.memory.Memory.ORDER;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.LANES;
import static io.hirundo.devicecpu.internal.gemm.loops.Microkernel.VECTOR_COLUMNS;

import io.hirundo.devicecpu.internal.memory.Memory;
import io.hirundo.devicecpu.internal.tensor.Fp8;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Vectors of 8-bit elements in memory, FP32 in registers. */
public final class Fp8Vectors {
  private static final VectorSpecies<Integer> BITS = LANES.withLanes(int.class);

  /** At least as many bytes as there are lanes. */
  private static final VectorSpecies<Byte> BYTES =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, LANES.vectorBitSize() / 4)));

  private static final boolean FILLS_BYTES = BYTES.length() == VECTOR_COLUMNS;
  private static final VectorMask<Byte> LANES_OF_BYTES = BYTES.indexInRange(0, VECTOR_COLUMNS);

  /** FP32 values of codes, without a scale. */
  public static void decode(long codes, int count, Fp8 format, long values) {
    int whole = LANES.loopBound(count);
    for (int i = 0; i < whole; i += VECTOR_COLUMNS) {
      ByteVector bytes =
          FILLS_BYTES
              ? ByteVector.fromMemorySegment(BYTES, ALL, codes + i, ORDER)
              : ByteVector.fromMemorySegment(BYTES, ALL, codes + i, ORDER, LANES_OF_BYTES);
      IntVector code = (IntVector) bytes.convertShape(VectorOperators.B2I, BITS, 0);
      IntVector magnitude = code.and(Fp8.MAGNITUDE);
      FloatVector value =
          magnitude.lanewise(VectorOperators.LSHL, format.shift()).reinterpretAsFloats().mul(format.toValue());
      IntVector sign = code.and(Integer.MIN_VALUE);
      value.reinterpretAsInts().or(sign).reinterpretAsFloats().intoMemorySegment(ALL, values + i * 4L, ORDER);
      if (magnitude.compare(VectorOperators.GT, format.maximumCode()).anyTrue()) {
        decodeEach(codes + i, VECTOR_COLUMNS, format, values + i * 4L);
      }
    }
    decodeEach(codes + whole, count - whole, format, values + whole * 4L);
  }

  private static void decodeEach(long codes, int count, Fp8 format, long values) {
    for (int i = 0; i < count; i++) {
      Memory.setFloat(values + i * 4L, format.toFloat(Memory.getByte(codes + i)));
    }
  }

  private Fp8Vectors() {}
}
