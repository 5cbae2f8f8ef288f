package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.event.TrainingEvent.ModelCompared;
import io.hirundo.lib.configuration.binding.Trees;
import io.hirundo.lib.engine.model.ModelWeights;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.inference.evaluation.ModelProbe;
import io.hirundo.model.layer.Recompute;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.fixture.CrookedFormat;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.TinyRun;
import io.hirundo.trainer.internal.parity.GoldenStep;
import io.hirundo.trainer.internal.parity.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelParityTest {
    private static final CrookedFormat STRAIGHT = new CrookedFormat(false, false);

    @TempDir
    private Path folder;

    private SteeredRun run(String name) {
        return new SteeredRun(folder.resolve(name));
    }

    private Path written(String name) {
        return folder.resolve(name).resolve("steered").resolve("model");
    }

    /** Validates the reference of every comparison: its logits from the files equal those of libtorch. */
    @Test
    void referenceLogitsEqualTheGoldenModel() {
        write(GoldenStep.FLOAT64.initialWeights());

        double[] expected = GoldenStep.FLOAT64.logitsOfStep1();
        List<int[]> rows = GoldenStep.FLOAT64.tokens(1, TinyRun.SEQUENCE_TOKENS).rows();
        try (ModelReader reader = STRAIGHT.open(folder)) {
            for (int sample = 0; sample < rows.size(); sample++) {
                double[][] logits = reader.referenceLogits(Arrays.copyOf(rows.get(sample), TinyRun.SEQUENCE_TOKENS))
                        .orElseThrow();
                double[] found =
                        Arrays.stream(logits).flatMapToDouble(Arrays::stream).toArray();
                int first = sample * found.length;
                assertArrayEquals(Arrays.copyOfRange(expected, first, first + found.length), found, 1e-12);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void rejectsModelWithNonFiniteWeight(double value) {
        var weights = GoldenStep.FLOAT64.initialWeights();
        weights.get("model.layers.1.self_attn.o_proj.weight")[1] = value;
        write(weights);
        try (var run = new TinyRun(new CpuOptions(1, CpuOptions.VECTOR), Layouts.FP32, 1, Recompute.NONE);
                ModelReader reader = STRAIGHT.open(folder)) {
            var rejected = assertThrows(DataException.class, () -> new ModelWeights(run.model).load(reader, "here"));
            String what = Double.isNaN(value) ? "NaN" : "an infinite value";
            String expected =
                    "here: tensor 'model.layers.1.self_attn.o_proj.weight' holds " + what + " at [0, 1] (read as FP32)";
            assertTrue(rejected.getMessage().startsWith(expected), rejected.getMessage());
        }
    }

    /** A new model with a zero head has equal logits everywhere. */
    @Test
    void comparesConstantLogits() {
        var weights = GoldenStep.FLOAT64.initialWeights();
        Arrays.fill(weights.get("lm_head.weight"), 0);
        write(weights);
        try (var run = new TinyRun(new CpuOptions(1, CpuOptions.VECTOR), Layouts.FP32, 1, Recompute.NONE);
                ModelReader reader = STRAIGHT.open(folder)) {
            run.load(weights);
            run.model.weightsChanged();
            ModelProbe probe = ModelProbe.of(run.model, TinyRun.SEQUENCE_TOKENS);
            double[] losses = probe.losses(run.model);
            assertTrue(probe.difference(losses, reader).orElseThrow() < 1e-2);
            losses[1] += 0.1;
            assertEquals(100, probe.difference(losses, reader).orElseThrow(), 1);
        }
    }

    private void write(Map<String, double[]> weights) {
        var parts = new ArrayList<ModelPart>();
        ModelTensors.of(new LlamaFactory().create(TinyRun.SIZES).describe())
                .forEach((path, shape) -> parts.add(new ModelPart(
                        path,
                        shape,
                        DType.FP64,
                        host -> MemorySegment.copy(
                                weights.get(path), 0, host, ValueLayout.JAVA_DOUBLE, 0, (int) shape.elements()))));
        STRAIGHT.write(folder, new Choice("llama", Trees.of(TinyRun.SIZES)), parts);
    }

    @ParameterizedTest
    @CsvSource({"tensor, 2, context, 2", "pipeline, 2, data, 2", "tensor, 4, data, 1"})
    void passesForExportAndLoadInEveryLayout(String axis, int size, String otherAxis, int otherSize) {
        Map<String, Object> mesh = Map.of(axis, size, otherAxis, otherSize);
        var first = run("first").with("mesh", mesh).model(STRAIGHT, null).run();
        var exported = first.events(ModelCompared.class);
        assertEquals(1, exported.size());
        assertEquals(SteeredRun.STEPS, exported.getFirst().step());
        assertEquals(written("first"), exported.getFirst().model());
        assertTrue(exported.getFirst().difference() < 1e-5, exported::toString);

        var second = run("second")
                .with("mesh", mesh)
                .model(STRAIGHT, written("first"))
                .run();
        var loaded = second.events(ModelCompared.class).getFirst();
        assertEquals(0, loaded.step());
        assertEquals(exported.getFirst().difference(), loaded.difference(), "the same weights, the same sums");
    }

    /** The bound is the configured one plus, with FP8, the precision's own error bound. */
    @ParameterizedTest
    @CsvSource({"bf16, 0.01", "fp8-blockwise, 0.09", "fp8-delayed, 0.09"})
    void addsTheErrorBoundOfThePrecision(String precision, double allowed) {
        var run = run("rounded")
                .with("precision", Map.of("name", precision))
                .model(STRAIGHT, null, 0.01)
                .run();

        var exported = run.events(ModelCompared.class).getFirst();
        assertEquals(allowed, exported.allowed(), 1e-9);
        assertTrue(exported.difference() > 1e-5, "nothing was rounded: " + exported);
    }

    @Test
    void rejectsATensorLoadedInTheWrongPlace() {
        run("first").model(STRAIGHT, null).run();

        var crooked =
                run("second").with("mesh", Map.of("tensor", 2)).model(new CrookedFormat(true, false), written("first"));
        var failure = assertThrows(DataException.class, crooked::run);

        assertTrue(
                failure.getMessage().contains("computes other losses than its files say: they differ by "),
                failure.getMessage());
        assertEquals(List.of(), crooked.losses);
    }

    /** Also with FP8, which has the largest bound. */
    @ParameterizedTest
    @ValueSource(strings = {"fp32", "fp8-blockwise"})
    void discardsAModelExportedWithAWrongSign(String precision) {
        var crooked = run("crooked")
                .with("precision", Map.of("name", precision))
                .with("mesh", Map.of("data", 2))
                .model(new CrookedFormat(false, true), null, 0.05);

        var failure = assertThrows(StorageException.class, crooked::run);

        assertTrue(failure.getMessage().contains("what was to become " + written("crooked")), failure.getMessage());
        assertFalse(Files.exists(written("crooked")));
        assertEquals(SteeredRun.STEPS, crooked.losses.size());
    }
}
