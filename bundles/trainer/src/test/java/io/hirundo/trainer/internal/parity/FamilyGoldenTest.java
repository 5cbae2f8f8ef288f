package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.device.ComputeBackend;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.golden.GoldenTensor;
import io.hirundo.lib.golden.ModelGolden;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.testkit.scalar.ScalarBackend;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.fixture.GoldenModel;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Folders that the Transformers library saved, against what it computed with them in FP64: losses, all gradients, greedy tokens. Its
 * gradients are rounded to FP32. {@code FamilyGoldens} of lib-golden checks formats and references.
 */
class FamilyGoldenTest {
    private static final PrecisionStrategy FP64 = new Fp64Factory().create(new NoOptions());
    private static final double FP32_ROUNDING = 1e-7;

    private static Stream<ModelGolden> goldens() {
        return GoldenModel.all();
    }

    private static ComputeBackend cpu(String kernels) {
        return new CpuBackendFactory().create(new CpuOptions(1, kernels));
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void hasLossAndGradientsInDoublePrecision(ModelGolden golden) {
        for (Recompute recompute : Recompute.values()) {
            try (var run = new GoldenModel(golden, cpu(CpuOptions.REFERENCE), FP64, recompute)) {
                assertGradients(golden.gradients(), run.gradients(), FP32_ROUNDING);
                assertEquals(golden.loss(), run.loss(), 1e-12 * golden.loss());
            }
        }
    }

    /** The device on which projects of families check their gradients. */
    @ParameterizedTest
    @MethodSource("goldens")
    void hasLossAndGradientsOnTheScalarDevice(ModelGolden golden) {
        try (var run = new GoldenModel(golden, new ScalarBackend(), FP64, Recompute.NONE)) {
            assertGradients(golden.gradients(), run.gradients(), FP32_ROUNDING);
            assertEquals(golden.loss(), run.loss(), 1e-12 * golden.loss());
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void hasLossAndGradientsInFp32(ModelGolden golden) {
        try (var run = new GoldenModel(golden, cpu(CpuOptions.VECTOR), Layouts.FP32, Recompute.NONE)) {
            assertGradients(golden.gradients(), run.gradients(), 1e-5);
            assertEquals(golden.loss(), run.loss(), 1e-6 * golden.loss());
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void choosesTheGreedyTokens(ModelGolden golden) {
        try (var run = new GoldenModel(golden, cpu(CpuOptions.VECTOR), Layouts.FP32, Recompute.NONE)) {
            var logits = new LogitReader(run.model);
            int[] text = golden.prompt();
            for (int token : golden.greedy()) {
                float[] next = logits.afterLast(text);
                int best = 0;
                for (int candidate = 1; candidate < next.length; candidate++) {
                    best = next[candidate] > next[best] ? candidate : best;
                }
                assertEquals(token, best, () -> "after " + Arrays.toString(golden.prompt()));
                text = Arrays.copyOf(text, text.length + 1);
                text[text.length - 1] = best;
            }
        }
    }

    /** Relative difference in the Euclidean norm, tensor by tensor. */
    private static void assertGradients(
            Map<String, GoldenTensor> golden, Map<String, double[]> found, double tolerance) {
        assertEquals(golden.keySet(), new TreeSet<>(found.keySet()));
        golden.forEach((path, tensor) -> {
            double difference = 0;
            double norm = 0;
            for (int index = 0; index < tensor.values().length; index++) {
                difference += Math.pow(tensor.values()[index] - found.get(path)[index], 2);
                norm += Math.pow(tensor.values()[index], 2);
            }
            double relative = Math.sqrt(difference / norm);
            assertTrue(norm > 0 && relative <= tolerance, () -> path + " differs by " + relative);
        });
    }
}
