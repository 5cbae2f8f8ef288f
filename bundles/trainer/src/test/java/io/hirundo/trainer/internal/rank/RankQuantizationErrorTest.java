package io.hirundo.trainer.internal.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.event.TrainingEvent.LayerRounding;
import io.hirundo.event.TrainingEvent.MessagesCounted;
import io.hirundo.event.TrainingEvent.RoundingMeasured;
import io.hirundo.precision.Operand;
import io.hirundo.precision.RoundingLoss;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Quantization error is reported for all layers at the configured steps, and measuring it changes no result. */
class RankQuantizationErrorTest {
    private static final int LAYERS = 16;
    private static final int STEPS = 6;

    @TempDir
    private Path folder;

    private SteeredRun run(String precision, Map<String, Object> mesh, int everySteps, String recompute) {
        var options = precision.equals("fp8-blockwise")
                ? Map.<String, Object>of("blocks", "shard-local")
                : Map.<String, Object>of();
        return new SteeredRun(folder.resolve(precision + everySteps + mesh.hashCode() + recompute))
                .with("precision", Map.of("name", precision, "options", options))
                .with("mesh", mesh)
                .with(
                        "training",
                        Map.of("steps", STEPS, "sequenceTokens", 16, "globalBatch", 4, "recompute", recompute))
                .with("evaluation", Map.of("samples", 2, "everySteps", 2, "roundingEverySteps", everySteps));
    }

    private static Map<String, LayerRounding> byOperand(RoundingMeasured event) {
        var figures = new TreeMap<String, LayerRounding>();
        event.layers().forEach(each -> figures.put(each.layer() + " " + each.operand(), each));
        return figures;
    }

    @ParameterizedTest
    @ValueSource(strings = {"fp8-blockwise", "fp8-current", "fp8-delayed"})
    void reportsQuantizationErrorAndChangesNoLoss(String precision) {
        List<Double> unwatched = run(precision, Map.of(), 0, "full").run().losses;
        var watched = run(precision, Map.of(), 2, "full");
        var rejected = watched.change(3, "precision.name=faulty", "precision.options.fault=transposed-weight-gradient");
        assertEquals(unwatched, watched.run().losses);
        assertFalse(rejected.join().granted(), rejected.join().message());
        var events = watched.events(RoundingMeasured.class);
        assertEquals(
                List.of(2L, 4L, 6L), events.stream().map(RoundingMeasured::step).toList());
        for (RoundingMeasured event : events) {
            var figures = byOperand(event);
            assertEquals(LAYERS * Operand.values().length, figures.size());
            assertEquals(figures.size(), event.layers().size());
            figures.values().forEach(each -> check(precision, each));
        }
        // Each microbatch counts once, regardless of recomputation and parity checks: 4 samples of 16 tokens and 32
        // channels.
        assertEquals(
                4 * 16 * 32,
                byOperand(events.get(1))
                        .get("model.layers.2.self_attn.qkv.weight INPUT")
                        .loss()
                        .nonZero(),
                8);
    }

    private static void check(String precision, LayerRounding each) {
        double error = each.loss().error();
        // E5M2 has twice the error of E4M3, and values above those of earlier steps are clipped.
        boolean wide = each.operand() == Operand.OUTPUT_GRADIENT && !precision.equals("fp8-blockwise");
        double most = precision.equals("fp8-delayed") ? 2 : 1;
        assertTrue(error > (wide ? 0.04 : 0.02) && error < most * (wide ? 0.07 : 0.035), each.toString());
        assertTrue(each.loss().nonZero() > 0 && each.loss().vanishedShare() < 0.01, each.toString());
        assertTrue(each.loss().largestShare() < 0.1, each.toString());
    }

    /** Also if weights and activations are gathered in quantized form in other steps. */
    @ParameterizedTest
    @ValueSource(strings = {"fp8-blockwise", "fp8-current"})
    void measuresTheSameInEveryLayout(String precision) {
        var alone = byOperand(run(precision, Map.of(), STEPS, "none")
                .run()
                .events(RoundingMeasured.class)
                .getFirst());
        var meshes = List.<Map<String, Object>>of(
                Map.of("tensor", 2, "data", 2),
                Map.of("pipeline", 2, "context", 2, "data", 1),
                Map.of("data", 2, "dataParallel", "fsdp"));
        for (Map<String, Object> mesh : meshes) {
            var run = run(precision, mesh, STEPS, "none").run();
            var split = byOperand(run.events(RoundingMeasured.class).getFirst());
            // The first step gathers weights that no earlier step has prepared.
            assertTrue(
                    run.events(MessagesCounted.class).stream().allMatch(each -> each.step() <= 2),
                    "reported without a change");
            assertEquals(alone.keySet(), split.keySet());
            alone.forEach((name, figures) -> {
                assertEquals(
                        figures.loss().error(),
                        split.get(name).loss().error(),
                        0.2 * figures.loss().error(),
                        name);
                // Both data-parallel ranks have each weight; tokens are divided.
                int copies = mesh.containsKey("tensor") && figures.operand() == Operand.WEIGHT ? 2 : 1;
                assertTrue(
                        split.get(name).loss().nonZero()
                                >= copies * 0.99 * figures.loss().nonZero(),
                        name);
            });
        }
    }

    /** The tensor-parallel ranks have shards of these weights. The first step has the same weights in every layout. */
    @ParameterizedTest
    @ValueSource(strings = {"fp8-current", "fp8-delayed"})
    void usesOneScaleForAllShardsOfAWeight(String precision) {
        var alone = byOperand(run(precision, Map.of(), 1, "none")
                .run()
                .events(RoundingMeasured.class)
                .getFirst());
        var split = run(precision, Map.of("tensor", 2), 1, "none").run();
        var parts = byOperand(split.events(RoundingMeasured.class).getFirst());
        var weights = alone.keySet().stream()
                .filter(name -> name.endsWith(Operand.WEIGHT.name()))
                .toList();
        assertEquals(LAYERS, weights.size());
        for (String name : weights) {
            RoundingLoss expected = alone.get(name).loss();
            RoundingLoss found = parts.get(name).loss();
            assertEquals(expected.largest(), found.largest(), name);
            assertEquals(expected.errorSquares(), found.errorSquares(), 1e-9 * expected.errorSquares(), name);
        }
    }

    @Test
    void reportsNothingWithoutQuantization() {
        assertEquals(List.of(), run("bf16", Map.of(), 1, "none").run().events(RoundingMeasured.class));
        var changed = run("bf16", Map.of(), 0, "none");
        changed.change(2, "precision=fp8-current", "evaluation.roundingEverySteps=1");
        assertEquals(
                List.of(4L, 5L, 6L),
                changed.run().events(RoundingMeasured.class).stream()
                        .map(RoundingMeasured::step)
                        .toList());
    }
}
