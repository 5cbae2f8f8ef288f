package io.hirundo.fp8blockwise.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.LinearMath;
import io.hirundo.precision.LinearShape;
import io.hirundo.precision.PreparedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Bench;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A weight that has come in pieces is, in both directions, the one that was quantized whole. */
class WeightCodingTest {
    private static final int OUTPUTS = 144;
    private static final int INPUTS = 272;
    private static final LinearShape SHAPE = new LinearShape("layers.0.mlp.down", OUTPUTS, INPUTS);

    @ParameterizedTest
    @ValueSource(strings = {Fp8BlockwiseOptions.POWER_OF_TWO, Fp8BlockwiseOptions.EXACT})
    void productsOfPieces(String scales) {
        try (Bench bench = bench();
                LinearMath math = strategy(scales).bind(bench.device(), SHAPE)) {
            WeightCoding coding = math.coding().orElseThrow();
            PreparedWeight reused = null;
            for (int time = 0; time < 2; time++) {
                var random = new Random(time);
                // The last square has nothing but zeros.
                Tensor w = bench.tensor(
                        DType.FP32,
                        i -> i / INPUTS >= 128 && i % INPUTS >= 256 ? 0 : random.nextGaussian(),
                        OUTPUTS,
                        INPUTS);
                PreparedWeight before = reused;
                reused = coding.prepare(bench.queue(), pieces(bench, coding, w), reused);
                assertTrue(before == null || before == reused);
                try (PreparedWeight whole = math.prepare(bench.queue(), w, null)) {
                    assertEquals(forward(bench, math, whole), forward(bench, math, reused));
                    assertEquals(backward(bench, math, whole), backward(bench, math, reused));
                }
                // Either of the two overwrites what the other has made.
                assertSame(reused, math.prepare(bench.queue(), w, reused));
            }
            reused.close();
        }
    }

    /** Of four ranks, whose pieces cut rows and squares. */
    private static CodedWeight pieces(Bench bench, WeightCoding coding, Tensor w) {
        Tensor magnitudes = bench.tensor(
                DType.FP32,
                i -> 0,
                coding.magnitudes().dims().stream().mapToLong(d -> d).toArray());
        long[] bounds = {0, 5_001, 19_712, 38_000, (long) OUTPUTS * INPUTS};
        var elementwise = bench.device().kernels().elementwise();
        for (int rank = 0; rank < bounds.length - 1; rank++) {
            Tensor own = bench.tensor(DType.FP32, i -> 0, magnitudes.elements());
            Tensor run = w.view(bounds[rank], Shape.of(bounds[rank + 1] - bounds[rank]));
            coding.measure(bench.queue(), run, bounds[rank], own.view(0, coding.magnitudes()));
            elementwise.maximum(bench.queue(), own, magnitudes);
        }
        var runs = new ArrayList<CodedWeight.Run>();
        for (int rank = 0; rank < bounds.length - 1; rank++) {
            long count = bounds[rank + 1] - bounds[rank];
            Tensor codes = bench.tensor(coding.codeType(), i -> 1, count);
            coding.encode(bench.queue(), w.view(bounds[rank], Shape.of(count)), bounds[rank], magnitudes, codes);
            runs.add(new CodedWeight.Run(bounds[rank], codes));
        }
        return new CodedWeight(magnitudes, runs);
    }

    private static List<Double> forward(Bench bench, LinearMath math, PreparedWeight weight) {
        Tensor y = bench.tensor(DType.BF16, i -> 0, 9, OUTPUTS);
        math.forward(bench.queue(), bench.tensor(DType.BF16, i -> Math.sin((double) i), 9, INPUTS), weight, y);
        return Arrays.stream(bench.read(y)).boxed().toList();
    }

    private static List<Double> backward(Bench bench, LinearMath math, PreparedWeight weight) {
        Tensor dx = bench.tensor(DType.BF16, i -> 0, 9, INPUTS);
        math.inputGradient(bench.queue(), bench.tensor(DType.BF16, i -> Math.cos((double) i), 9, OUTPUTS), weight, dx);
        return Arrays.stream(bench.read(dx)).boxed().toList();
    }

    /** Its weight is a copy in bf16. */
    @Test
    void bf16LayerHasNoQuantizedWeight() {
        try (Bench bench = bench();
                LinearMath math =
                        strategy(Fp8BlockwiseOptions.EXACT).bind(bench.device(), new LinearShape("odd", 33, 34))) {
            assertTrue(math.coding().isEmpty());
        }
    }

    private static Bench bench() {
        return Bench.open(new CpuBackendFactory().create(new CpuOptions(1, CpuOptions.VECTOR)));
    }

    private static Fp8Blockwise strategy(String scales) {
        return new Fp8Blockwise(new Fp8BlockwiseOptions(
                scales, Fp8BlockwiseOptions.E4M3, Fp8BlockwiseOptions.ALIGNED, 0, 0, true, false));
    }
}
