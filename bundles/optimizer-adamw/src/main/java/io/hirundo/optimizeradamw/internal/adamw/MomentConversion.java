package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.optimizer.AdamW8BitKernels.BLOCK_ELEMENTS;
import static io.hirundo.lib.optimizer.AdamWUpdate.FIRST_MOMENT;
import static io.hirundo.lib.optimizer.AdamWUpdate.SECOND_MOMENT;

import io.hirundo.kernel.DynamicMap;
import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Converts a moment between FP32 and 8 bits, with the arithmetic of {@link io.hirundo.kernel.optimizer.AdamW8BitKernels}.
 *
 * @param moment its name in FP32
 * @param map its 8-bit type
 * @param quantizes from FP32 to 8 bits; otherwise back, which is exact
 */
record MomentConversion(String moment, DynamicMap map, boolean quantizes) implements StateConversion {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * Of both moments of a parameter.
   *
   * @param eightBits whether the optimizer has them in 8 bits, so that it converts from FP32
   */
  static List<StateConversion> of(boolean eightBits) {
    return List.of(
        new MomentConversion(FIRST_MOMENT, DynamicMap.SIGNED, eightBits), new MomentConversion(SECOND_MOMENT, DynamicMap.UNSIGNED, eightBits));
  }

  @Override
  public List<StateSpec> from() {
    return quantizes ? wide() : EightBitUpdate.state(moment);
  }

  @Override
  public List<StateSpec> to() {
    return quantizes ? EightBitUpdate.state(moment) : wide();
  }

  private List<StateSpec> wide() {
    return List.of(new StateSpec(moment, DType.FP32, true));
  }

  @Override
  public void convert(long elements, List<MemorySegment> from, List<MemorySegment> to) {
    List<MemorySegment> eightBits = quantizes ? to : from;
    MemorySegment values = (quantizes ? from : to).getFirst();
    for (long block = 0; block < elements / BLOCK_ELEMENTS; block++) {
      if (quantizes) {
        quantize(values, eightBits.get(0), eightBits.get(1), block);
      } else {
        dequantize(eightBits.get(0), eightBits.get(1), values, block);
      }
    }
  }

  private void quantize(MemorySegment values, MemorySegment quantized, MemorySegment scales, long block) {
    float scale = 0;
    for (int i = 0; i < BLOCK_ELEMENTS; i++) {
      // Math.max keeps a NaN.
      scale = Math.max(scale, Math.abs(value(values, block * BLOCK_ELEMENTS + i)));
    }
    scales.set(FLOAT, block * Float.BYTES, scale);
    for (int i = 0; i < BLOCK_ELEMENTS; i++) {
      long at = block * BLOCK_ELEMENTS + i;
      // The first value is in the lowest byte of a little-endian word.
      quantized.set(ValueLayout.JAVA_BYTE, at, (byte) (scale == 0 ? 0 : map.quantized(value(values, at) / scale)));
    }
  }

  private void dequantize(MemorySegment quantized, MemorySegment scales, MemorySegment values, long block) {
    float scale = scales.get(FLOAT, block * Float.BYTES);
    for (int i = 0; i < BLOCK_ELEMENTS; i++) {
      long at = block * BLOCK_ELEMENTS + i;
      // Nothing has been stored in a block of scale 0.
      float value = scale == 0 ? 0 : scale * map.value(quantized.get(ValueLayout.JAVA_BYTE, at) & 0xff);
      values.set(FLOAT, at * Float.BYTES, value);
    }
  }

  private static float value(MemorySegment values, long at) {
    return values.get(FLOAT, at * Float.BYTES);
  }
}
