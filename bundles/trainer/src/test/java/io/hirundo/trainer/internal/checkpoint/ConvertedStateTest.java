package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.TrainingEvent;
import io.hirundo.kernel.DynamicMap;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizeradamw.internal.adamw.AdamWFactory;
import io.hirundo.optimizeradamw.internal.adamw.AdamWOptions;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.fixture.LargerBlocks;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.ProbedOptimizer;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that is resumed with moments in 8 bits where its checkpoint has FP32, or the other way round. */
class ConvertedStateTest {
    private static final int BLOCK = AdamW8BitKernels.BLOCK_ELEMENTS;

    @TempDir
    private Path folder;

    /** Rows of all matrices are one block; on two tensor ranks those of some are half of one. */
    private SteeredRun run(String optimizer, Map<String, Object> mesh) {
        return run(optimizer, BLOCK, mesh);
    }

    private SteeredRun run(String optimizer, int channels, Map<String, Object> mesh) {
        var run = new SteeredRun(folder);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("optimizer", "third-party", new ProbedOptimizer<>(new AdamWFactory()));
        Optimizer eightBits = new AdamWFactory().create(new AdamWOptions(0.9, 0.95, 1e-8, 0.1, true));
        run.catalog.add("optimizer", "larger-blocks", new Fixed<>(Optimizer.class, new LargerBlocks(eightBits)));
        var sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                channels,
                "intermediateSize",
                channels,
                "numHiddenLayers",
                1,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16);
        return run.with("checkpoint", Map.of("strategy", "sync"))
                .with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false))
                .with("optimizer", optimizer(optimizer))
                .with("mesh", mesh)
                .with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4));
    }

    private static Map<String, Object> optimizer(String name) {
        return name.equals("8 bits")
                ? Map.of("name", "adamw", "options", Map.of("eightBitState", true))
                : Map.of("name", name);
    }

    /** {@code report}: what the log says of the state. */
    private record Restored(Map<String, double[]> state, String report) {}

    private Restored restore(SteeredRun steered) {
        try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                LocalRun run = LocalRun.open(strategies.configuration(), strategies.strategies())) {
            var checkpoints = new RunCheckpoints(
                    run, strategies, folder.resolve("steered").resolve("checkpoints"));
            try {
                List<String> lines = checkpoints.restore(() -> false).stream()
                        .flatMap(event -> ((TrainingEvent.ProductsListed) event).lines().stream())
                        .toList();
                return new Restored(GlobalState.of(run), String.join("\n", lines));
            } finally {
                checkpoints.close();
            }
        }
    }

    /** Moments in 8 bits as FP32; all other tensors as they are. */
    private static Map<String, double[]> dequantized(Map<String, double[]> state, String scalesName, int block) {
        var wide = new TreeMap<String, double[]>();
        state.forEach((key, values) -> {
            if (key.contains("_quantized/")) {
                DynamicMap map = key.contains("_sq_") ? DynamicMap.UNSIGNED : DynamicMap.SIGNED;
                double[] scales = state.get(key.replace("_quantized/", scalesName));
                var elements = new double[values.length * 4];
                for (int i = 0; i < elements.length; i++) {
                    int quantized = (int) values[i / 4] >>> i % 4 * 8 & 0xff;
                    float scale = (float) scales[i / block];
                    // Nothing has been stored in a block of scale 0.
                    elements[i] = scale == 0 ? 0 : scale * map.value(quantized);
                }
                wide.put(key.replace("_quantized/", "/"), elements);
            } else if (!key.contains(scalesName)) {
                wide.put(key, values);
            }
        });
        return wide;
    }

    private static Map<String, double[]> dequantized(Map<String, double[]> state) {
        return dequantized(state, "_scales_128/", BLOCK);
    }

    private static void assertSame(Map<String, double[]> expected, Map<String, double[]> found) {
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach((key, values) -> assertArrayEquals(values, found.get(key), key));
    }

    /** FP32 state is divided within blocks, on other ranks. */
    @Test
    void eightBitsAreDequantizedExactlyInAnotherLayout() {
        run("8 bits", Map.of("data", 2, "dataParallel", "fsdp")).run();
        Map<String, double[]> saved = restore(run("8 bits", Map.of("data", 2, "dataParallel", "fsdp")))
                .state();
        for (Map<String, Object> mesh : List.<Map<String, Object>>of(Map.of("data", 4), Map.of("tensor", 2))) {
            Restored wide = restore(run("adamw", mesh));
            assertSame(dequantized(saved), wide.state());
            assertTrue(
                    wide.report()
                            .startsWith(
                                    "optimizer state: exp_avg from exp_avg_quantized, exp_avg_scales_128; exp_avg_sq from exp_avg_sq_quantized, "),
                    wide.report());
            assertTrue(
                    wide.report().endsWith(" of " + folder.resolve("steered/checkpoints/step-00000002")),
                    wide.report());
        }
    }

    /** On two tensor ranks, matrices of which each has half of the columns have moments in FP32, and all others in 8 bits. */
    @Test
    void eightBitsAreKeptWhereTensorRanksHaveWholeBlocks() {
        run("8 bits", Map.of()).run();
        Map<String, double[]> saved = restore(run("8 bits", Map.of())).state();
        Restored split = restore(run("8 bits", Map.of("tensor", 2, "data", 2)));
        var some = new HashMap<>(saved);
        some.keySet().removeIf(key -> !split.state().containsKey(key));
        some.forEach((key, values) -> assertArrayEquals(values, split.state().get(key), key));
        assertSame(dequantized(saved), dequantized(split.state()));
        assertTrue(
                split.state().containsKey("optimizer/exp_avg/model.layers.0.mlp.down_proj.weight"),
                split.state().keySet()::toString);
        assertTrue(
                split.state().containsKey("optimizer/exp_avg_quantized/model.layers.0.mlp.up_proj.weight"),
                split.state().keySet()::toString);
        assertTrue(split.report().contains("exp_avg from exp_avg_quantized, exp_avg_scales_128"), split.report());
    }

    @Test
    void fp32IsQuantizedToTheNearestValueOfItsBlock() {
        run("adamw", Map.of("data", 2)).run();
        Map<String, double[]> saved = restore(run("adamw", Map.of("data", 2))).state();
        Restored quantized = restore(run("8 bits", Map.of("data", 2, "tensor", 1, "dataParallel", "zero2")));
        assertTrue(
                quantized.report().startsWith("optimizer state: exp_avg_quantized, exp_avg_scales_128 from exp_avg; "),
                quantized.report());
        String moment = "/model.layers.0.self_attn.q_proj.weight";
        double[] values = saved.get("optimizer/exp_avg" + moment);
        double[] scales = quantized.state().get("optimizer/exp_avg_scales_128" + moment);
        double[] words = quantized.state().get("optimizer/exp_avg_quantized" + moment);
        for (int i = 0; i < values.length; i++) {
            if (i % BLOCK == 0) {
                double largest = 0;
                for (int j = i; j < i + BLOCK; j++) {
                    largest = Math.max(largest, Math.abs(values[j]));
                }
                assertEquals(largest, scales[i / BLOCK], "scale " + i / BLOCK);
            }
            int expected = DynamicMap.SIGNED.quantized((float) (values[i] / scales[i / BLOCK]));
            assertEquals(expected, (int) words[i / 4] >>> i % 4 * 8 & 0xff, "element " + i);
        }
        var others = new TreeMap<>(quantized.state());
        others.keySet().removeIf(key -> !saved.containsKey(key));
        assertTrue(others.containsKey("optimizer/exp_avg/model.norm.weight"), others.keySet()::toString);
        others.forEach((key, elements) -> assertArrayEquals(saved.get(key), elements, key));
    }

    /** Checkpoints of earlier versions load exactly, on tensor ranks that begin within their blocks too. */
    @Test
    void smallerBlocksGetTheScaleOfTheLargerOneThatTheyAreIn() {
        Map<String, Object> fsdp = Map.of("data", 2, "dataParallel", "fsdp");
        run("larger-blocks", LargerBlocks.BLOCK, fsdp).run();
        Map<String, double[]> saved =
                restore(run("larger-blocks", LargerBlocks.BLOCK, fsdp)).state();
        Map<String, double[]> expected = new TreeMap<>();
        saved.forEach((key, values) -> expected.put(
                key.replace("_scales/", "_scales_128/"), key.contains("_scales/") ? twice(values) : values));
        for (Map<String, Object> mesh :
                List.<Map<String, Object>>of(Map.of("data", 4), Map.of("tensor", 2, "data", 2))) {
            Restored smaller = restore(run("8 bits", LargerBlocks.BLOCK, mesh));
            assertSame(expected, smaller.state());
            assertTrue(
                    smaller.report()
                            .startsWith(
                                    "optimizer state: exp_avg_scales_128 from exp_avg_scales; exp_avg_sq_scales_128 from exp_avg_sq_scales of "),
                    smaller.report());
        }
        assertSame(
                dequantized(saved, "_scales/", LargerBlocks.BLOCK),
                restore(run("adamw", LargerBlocks.BLOCK, Map.of("data", 4))).state());
    }

    private static double[] twice(double[] values) {
        return Arrays.stream(values)
                .flatMap(value -> DoubleStream.of(value, value))
                .toArray();
    }

    @Test
    void loadsWhatNeedsNoConversionWithoutAReport() {
        run("8 bits", Map.of("data", 2)).run();
        assertEquals("", restore(run("8 bits", Map.of())).report());
    }

    @Test
    void rejectsAnOptimizerThatDoesNotConvert() {
        run("8 bits", Map.of()).run();
        SteeredRun other = run("third-party", Map.of());
        String message =
                assertThrows(ConfigurationException.class, () -> restore(other)).getMessage();
        assertFalse(message.contains("exp_avg_quantized"), message);
        assertTrue(
                message.contains(" lacks optimizer/exp_avg/") && message.contains("checkpoint.allowMissing"), message);
    }
}
