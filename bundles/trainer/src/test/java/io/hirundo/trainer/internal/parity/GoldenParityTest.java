package io.hirundo.trainer.internal.parity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.lib.engine.step.StepSignals;
import io.hirundo.model.layer.Recompute;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.precisionnative.internal.Fp32Factory;
import io.hirundo.precisionnative.internal.Fp64Factory;
import io.hirundo.strategy.NoOptions;
import io.hirundo.trainer.internal.evaluation.LogitReader;
import io.hirundo.trainer.internal.fixture.TinyRun;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three steps of the tiny Llama against libtorch: losses, logits, every gradient of step 1, weights after step 3. */
class GoldenParityTest {
    private static final double LEARNING_RATE = 1e-3;

    /** A precision, its golden file and its tolerances. */
    enum Case {
        REFERENCE_FP64(
                CpuOptions.REFERENCE, new Fp64Factory().create(new NoOptions()), GoldenStep.FLOAT64, 1e-12, 1e-10),
        REFERENCE_FP32(CpuOptions.REFERENCE, new Fp32Factory().create(new NoOptions()), GoldenStep.FLOAT64, 1e-6, 1e-5),
        VECTOR_FP32(CpuOptions.VECTOR, new Fp32Factory().create(new NoOptions()), GoldenStep.FLOAT64, 1e-6, 1e-5),
        VECTOR_FP32_AGAINST_FP32(
                CpuOptions.VECTOR, new Fp32Factory().create(new NoOptions()), GoldenStep.FLOAT32, 1e-6, 2e-5);

        private final String kernels;
        private final PrecisionStrategy precision;
        private final GoldenStep golden;
        private final double lossTolerance;
        private final double tensorTolerance;

        Case(
                String kernels,
                PrecisionStrategy precision,
                GoldenStep golden,
                double lossTolerance,
                double tensorTolerance) {
            this.kernels = kernels;
            this.precision = precision;
            this.golden = golden;
            this.lossTolerance = lossTolerance;
            this.tensorTolerance = tensorTolerance;
        }

        TinyRun open(int microBatch, Recompute recompute) {
            var run = new TinyRun(new CpuOptions(2, kernels), precision, microBatch, recompute);
            run.load(golden.initialWeights());
            return run;
        }
    }

    @ParameterizedTest
    @EnumSource
    void logits(Case wanted) {
        try (TinyRun run = wanted.open(2, Recompute.NONE)) {
            var reader = new LogitReader(run.model);
            double[] golden = wanted.golden.logitsOfStep1();
            int rowElements = TinyRun.SEQUENCE_TOKENS * 256;
            var batch = wanted.golden.tokens(1, TinyRun.SEQUENCE_TOKENS);
            for (int b = 0; b < TinyRun.SEQUENCES; b++) {
                int[] inputs = java.util.Arrays.copyOf(batch.rows().get(b), TinyRun.SEQUENCE_TOKENS);
                float[] logits = reader.afterEach(inputs);
                double[] expected = java.util.Arrays.copyOfRange(golden, b * rowElements, (b + 1) * rowElements);
                assertClose("logits", expected, toDoubles(logits), Math.max(wanted.tensorTolerance, 1e-6));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void gradientsOfTheFirstStep(Case wanted) {
        try (TinyRun run = wanted.open(2, Recompute.NONE)) {
            run.steps.accumulateGradients(wanted.golden.tokens(1, TinyRun.SEQUENCE_TOKENS));
            assertAllClose(wanted.golden.gradientsOfStep1(), run.gradients(), wanted.tensorTolerance);
        }
    }

    @ParameterizedTest
    @EnumSource
    void lossesAndWeightsOfThreeSteps(Case wanted) {
        try (TinyRun run = wanted.open(1, Recompute.NONE)) {
            for (int step = 1; step <= 3; step++) {
                var outcome = run.steps.step(
                        wanted.golden.tokens(step, TinyRun.SEQUENCE_TOKENS), step, LEARNING_RATE, StepSignals.SILENT);
                double golden = wanted.golden.losses().get(step - 1);
                assertEquals(golden, outcome.loss(), wanted.lossTolerance * golden, "loss of step " + step);
            }
            // Adam's first steps turn tiny gradients into full-size updates, so weights differ by far more than
            // gradients.
            double tolerance = wanted.precision.parameterType() == io.hirundo.tensor.DType.FP64 ? 1e-9 : 1e-4;
            assertAllClose(wanted.golden.weightsAfterStep3(), run.weights(), tolerance);
        }
    }

    @ParameterizedTest
    @EnumSource(Recompute.class)
    void recomputationIsBitwiseTheSame(Recompute recompute) {
        var batch = GoldenStep.FLOAT64.tokens(1, TinyRun.SEQUENCE_TOKENS);
        try (TinyRun plain = Case.VECTOR_FP32.open(2, Recompute.NONE);
                TinyRun run = Case.VECTOR_FP32.open(2, recompute)) {
            plain.steps.accumulateGradients(batch);
            run.steps.accumulateGradients(batch);
            Map<String, double[]> gradients = run.gradients();
            plain.gradients().forEach((path, values) -> assertArrayEquals(values, gradients.get(path), path));
        }
    }

    private static void assertAllClose(Map<String, double[]> golden, Map<String, double[]> actual, double tolerance) {
        assertEquals(golden.keySet(), actual.keySet());
        golden.forEach((path, values) -> assertClose(path, values, actual.get(path), tolerance));
    }

    /** Relative difference in the Euclidean norm. */
    private static void assertClose(String name, double[] golden, double[] actual, double tolerance) {
        assertEquals(golden.length, actual.length, name);
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < golden.length; i++) {
            difference += (golden[i] - actual[i]) * (golden[i] - actual[i]);
            norm += golden[i] * golden[i];
        }
        double relative = Math.sqrt(difference / norm);
        assertTrue(relative <= tolerance, () -> name + ": relative difference " + relative + " above " + tolerance);
    }

    private static double[] toDoubles(float[] values) {
        double[] doubles = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            doubles[i] = values[i];
        }
        return doubles;
    }
}
