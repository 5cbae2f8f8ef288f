package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.optimizer.StateConversion;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Converts a moment between FP32 and 8 bits, with the arithmetic of {@link io.hirundo.kernel.optimizer.AdamW8BitKernels}.
 *
 * @param form in 8 bits
 * @param quantizes from FP32 to 8 bits; otherwise back, which is exact
 */
record MomentConversion(EightBitForm form, boolean quantizes) implements StateConversion {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** To moments in 8 bits from those in FP32 or in larger blocks. */
    static List<StateConversion> toEightBits() {
        return both(form -> List.of(
                new MomentConversion(form, true),
                new ScaleConversion(form.former().scales(), form.scales())));
    }

    /** To moments in FP32. */
    static List<StateConversion> toFp32() {
        return both(form -> List.of(new MomentConversion(form, false), new MomentConversion(form.former(), false)));
    }

    private static List<StateConversion> both(Function<EightBitForm, List<StateConversion>> conversions) {
        return Stream.of(EightBitForm.FIRST, EightBitForm.SECOND)
                .flatMap(form -> conversions.apply(form).stream())
                .toList();
    }

    @Override
    public List<StateSpec> from() {
        return quantizes ? wide() : form.state();
    }

    @Override
    public List<StateSpec> to() {
        return quantizes ? form.state() : wide();
    }

    private List<StateSpec> wide() {
        return List.of(new StateSpec(form.moment(), DType.FP32, true));
    }

    @Override
    public void convert(long elements, List<MemorySegment> from, List<MemorySegment> to) {
        List<MemorySegment> eightBits = quantizes ? to : from;
        MemorySegment values = (quantizes ? from : to).getFirst();
        for (long block = 0; block < elements / form.blockElements(); block++) {
            if (quantizes) {
                quantize(values, eightBits.get(0), eightBits.get(1), block);
            } else {
                dequantize(eightBits.get(0), eightBits.get(1), values, block);
            }
        }
    }

    private void quantize(MemorySegment values, MemorySegment quantized, MemorySegment scales, long block) {
        float scale = 0;
        for (int i = 0; i < form.blockElements(); i++) {
            // Math.max keeps a NaN.
            scale = Math.max(scale, Math.abs(value(values, block * form.blockElements() + i)));
        }
        scales.set(FLOAT, block * Float.BYTES, scale);
        for (int i = 0; i < form.blockElements(); i++) {
            long at = block * form.blockElements() + i;
            // The first value is in the lowest byte of a little-endian word.
            quantized.set(ValueLayout.JAVA_BYTE, at, (byte)
                    (scale == 0 ? 0 : form.map().quantized(value(values, at) / scale)));
        }
    }

    private void dequantize(MemorySegment quantized, MemorySegment scales, MemorySegment values, long block) {
        float scale = scales.get(FLOAT, block * Float.BYTES);
        for (int i = 0; i < form.blockElements(); i++) {
            long at = block * form.blockElements() + i;
            // Nothing has been stored in a block of scale 0.
            float value = scale == 0 ? 0 : scale * form.map().value(quantized.get(ValueLayout.JAVA_BYTE, at) & 0xff);
            values.set(FLOAT, at * Float.BYTES, value);
        }
    }

    private static float value(MemorySegment values, long at) {
        return values.get(FLOAT, at * Float.BYTES);
    }
}
