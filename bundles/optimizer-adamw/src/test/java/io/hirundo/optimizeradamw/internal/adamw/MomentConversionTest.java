package io.hirundo.optimizeradamw.internal.adamw;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Moment;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Update;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.bench.Bench;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MomentConversionTest {
    private static final int ELEMENTS = 3 * AdamW8BitKernels.BLOCK_ELEMENTS;
    private static final List<EightBitForm> FORMS = List.of(EightBitForm.FIRST, EightBitForm.SECOND);

    /** Of both signs and many magnitudes; the last block has none. */
    private static double gradient(long i) {
        return i >= 2 * AdamW8BitKernels.BLOCK_ELEMENTS ? 0 : Math.sin(i * 0.7) * Math.pow(10, i % 9 - 6);
    }

    private static MemorySegment floats(double[] values) {
        var segment = MemorySegment.ofArray(new float[values.length]);
        for (int i = 0; i < values.length; i++) {
            segment.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) values[i]);
        }
        return segment;
    }

    private static double[] ints(MemorySegment segment) {
        int[] words = segment.toArray(ValueLayout.JAVA_INT_UNALIGNED);
        var values = new double[words.length];
        for (int i = 0; i < words.length; i++) {
            values[i] = words[i];
        }
        return values;
    }

    private static double[] doubles(MemorySegment segment) {
        float[] floats = segment.toArray(ValueLayout.JAVA_FLOAT);
        var values = new double[floats.length];
        for (int i = 0; i < floats.length; i++) {
            values[i] = floats[i];
        }
        return values;
    }

    /** Without earlier moments that count, a step stores the gradient and its square. */
    @ParameterizedTest
    @ValueSource(strings = {CpuOptions.VECTOR, CpuOptions.REFERENCE})
    void quantizesAndDequantizesAsTheKernelDoes(String kernels) {
        try (var bench = Bench.open(new CpuBackendFactory().create(new CpuOptions(1, kernels)))) {
            var gradient = bench.tensor(DType.FP32, MomentConversionTest::gradient, ELEMENTS);
            var squares = bench.tensor(DType.FP32, i -> (float) gradient(i) * (float) gradient(i), ELEMENTS);
            Moment first = moment(bench);
            Moment second = moment(bench);
            bench.device()
                    .kernels()
                    .find(AdamW8BitKernels.class)
                    .orElseThrow()
                    .adamW(
                            bench.queue(),
                            new AdamWCoefficients(0, 0, 0, 1e-8, 0, 1),
                            bench.tensor(DType.FP64, i -> 1, 1),
                            List.of(new Update(gradient, bench.tensor(DType.FP32, i -> 0, ELEMENTS), first, second)));
            List<Moment> stored = List.of(first, second);
            List<double[]> values = List.of(bench.read(gradient), bench.read(squares));
            for (int moment = 0; moment < 2; moment++) {
                var quantized = List.of(MemorySegment.ofArray(new byte[ELEMENTS]), MemorySegment.ofArray(new float[3]));
                new MomentConversion(FORMS.get(moment), true)
                        .convert(ELEMENTS, List.of(floats(values.get(moment))), quantized);
                assertArrayEquals(
                        bench.read(stored.get(moment).quantized()),
                        ints(quantized.get(0)),
                        "values of moment " + moment);
                assertArrayEquals(
                        bench.read(stored.get(moment).scales()),
                        doubles(quantized.get(1)),
                        "scales of moment " + moment);
            }
        }
    }

    private static Moment moment(Bench bench) {
        return new Moment(bench.tensor(DType.INT32, i -> 0, ELEMENTS / 4), bench.tensor(DType.FP32, i -> 0, 3));
    }

    /** The largest magnitude of a block, 255, is positive, so that it is exact, and with it the scale. */
    @Test
    void quantizesWhatItDequantizedToTheSameBits() {
        for (EightBitForm form : FORMS) {
            var conversion = new MomentConversion(form, true);
            var back = new MomentConversion(form, false);
            var quantized = List.of(
                    MemorySegment.ofArray(new byte[ELEMENTS]), MemorySegment.ofArray(new float[] {3.7f, 1e-20f, 0}));
            for (int i = 0; i < 2 * AdamW8BitKernels.BLOCK_ELEMENTS; i++) {
                quantized.get(0).set(ValueLayout.JAVA_BYTE, i, (byte)
                        ((i + 1) % AdamW8BitKernels.BLOCK_ELEMENTS == 0 ? 255 : i));
            }
            var values = MemorySegment.ofArray(new float[ELEMENTS]);
            back.convert(ELEMENTS, quantized, List.of(values));
            var again = List.of(MemorySegment.ofArray(new byte[ELEMENTS]), MemorySegment.ofArray(new float[3]));
            conversion.convert(ELEMENTS, List.of(values), again);
            for (int tensor = 0; tensor < 2; tensor++) {
                assertEquals(
                        -1,
                        quantized.get(tensor).mismatch(again.get(tensor)),
                        "tensor " + tensor + " of " + conversion);
            }
        }
    }

    /** Rows of a scale that is NaN, and of two others. */
    @Test
    void scalesOfSmallerBlocksKeepTheMoment() {
        for (EightBitForm form : FORMS) {
            EightBitForm former = form.former();
            int elements = 3 * former.blockElements();
            var quantized = MemorySegment.ofArray(new byte[elements]);
            for (int i = 0; i < elements; i++) {
                quantized.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 37));
            }
            var scales = MemorySegment.ofArray(new float[] {Float.NaN, 1e-20f, 3.7f});
            var smaller = MemorySegment.ofArray(new float[elements / form.blockElements()]);
            new ScaleConversion(former.scales(), form.scales()).convert(elements, List.of(scales), List.of(smaller));
            assertEquals(
                    -1,
                    dequantized(former, quantized, scales).mismatch(dequantized(form, quantized, smaller)),
                    () -> "first byte of " + form);
        }
    }

    private static MemorySegment dequantized(EightBitForm form, MemorySegment quantized, MemorySegment scales) {
        var values = MemorySegment.ofArray(new float[Math.toIntExact(quantized.byteSize())]);
        new MomentConversion(form, false).convert(quantized.byteSize(), List.of(quantized, scales), List.of(values));
        return values;
    }
}
