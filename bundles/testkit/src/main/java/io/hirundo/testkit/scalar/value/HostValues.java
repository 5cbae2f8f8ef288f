package io.hirundo.testkit.scalar.value;

import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Elements of tensors in host memory, little-endian, at any address. */
public final class HostValues {
  private static final ValueLayout.OfDouble FP64 = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FP32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort BF16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private HostValues() {}

  public static double get(MemorySegment bytes, DType dtype, long index) {
    long at = index * dtype.byteSize();
    return switch (dtype) {
      case FP64 -> bytes.get(FP64, at);
      case FP32 -> bytes.get(FP32, at);
      case BF16 -> Float.intBitsToFloat(bytes.get(BF16, at) << 16);
      case FP8_E4M3, FP8_E5M2 -> Fp8Values.of(dtype).value(bytes.get(ValueLayout.JAVA_BYTE, at));
      case INT32 -> bytes.get(INT32, at);
    };
  }

  public static void set(MemorySegment bytes, DType dtype, long index, double value) {
    long at = index * dtype.byteSize();
    switch (dtype) {
      case FP64 -> bytes.set(FP64, at, value);
      case FP32 -> bytes.set(FP32, at, (float) value);
      case BF16 -> bytes.set(BF16, at, (short) (Float.floatToRawIntBits((float) rounded(DType.BF16, value)) >>> 16));
      case FP8_E4M3, FP8_E5M2 -> bytes.set(ValueLayout.JAVA_BYTE, at, Fp8Values.of(dtype).nearest(value));
      case INT32 -> bytes.set(INT32, at, (int) value);
    }
  }

  /** The nearest value of the dtype; to BF16 through FP32. */
  public static double rounded(DType dtype, double value) {
    return switch (dtype) {
      case FP64 -> value;
      case FP32 -> (float) value;
      case BF16 -> {
        int bits = Float.floatToRawIntBits((float) value);
        int up = Double.isNaN(value) ? 0 : 0x7fff + (bits >>> 16 & 1);
        yield Float.intBitsToFloat(bits + up & 0xffff0000);
      }
      case FP8_E4M3, FP8_E5M2 -> Fp8Values.of(dtype).value(Fp8Values.of(dtype).nearest(value));
      case INT32 -> (int) value;
    };
  }
}
