package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.CheckpointEvent.CheckpointTakenInPart;
import io.hirundo.event.TrainingEvent;
import io.hirundo.lib.run.strategy.RunStrategies;
import io.hirundo.trainer.internal.fixture.GlobalState;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.session.LocalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that resumes with other tensors than it saved: with or without its own head. */
class TensorExceptionsTest {
    private static final String HEAD = "lm_head.weight";

    @TempDir
    private Path folder;

    private SteeredRun run(Map<String, ?> mesh, boolean tied, int hidden, Map<String, ?> rules) {
        var run = new SteeredRun(folder);
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        var sizes = Map.of(
                "vocabSize",
                96,
                "hiddenSize",
                hidden,
                "intermediateSize",
                64,
                "numHiddenLayers",
                2,
                "numAttentionHeads",
                4,
                "numKeyValueHeads",
                4,
                "maxPositionEmbeddings",
                16,
                "tieWordEmbeddings",
                tied);
        run.with("model", Map.of("architecture", Map.of("name", "llama", "options", sizes), "export", false));
        run.with("training", Map.of("steps", 4, "sequenceTokens", 16, "globalBatch", 4));
        var section = new HashMap<String, Object>(rules);
        section.put("strategy", "sync");
        section.put("everySteps", 2);
        section.put("onDamage", "previous");
        return run.with("checkpoint", section).with("mesh", mesh);
    }

    /** The events of the restore. */
    private List<TrainingEvent> resume(SteeredRun steered) {
        try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                var checkpoints = new RunCheckpoints(run, strategies, folder.resolve("steered/checkpoints"))) {
            List<TrainingEvent> news = checkpoints.restore(() -> false);
            assertEquals(4, run.stepsDone());
            run.seek(2, run.data().begin());
            assertTrue(Double.isFinite(run.step().loss()));
            return news;
        }
    }

    private String rejection(SteeredRun steered) {
        return assertThrows(ConfigurationException.class, () -> resume(steered)).getMessage();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rejectsUnnamedDifferencesInTensors(boolean savedWithHead) {
        run(Map.of("data", 2), !savedWithHead, 32, Map.of()).run();
        String setting = savedWithHead ? "allowUnexpected" : "allowMissing";
        var mesh = Map.of("pipeline", 2);

        String rejection = rejection(run(mesh, savedWithHead, 32, Map.of()));
        assertTrue(
                rejection.contains("step-00000004 " + (savedWithHead ? "has, and the run has not, " : "lacks ")),
                rejection);
        assertTrue(rejection.contains("model/" + HEAD) && rejection.contains("checkpoint." + setting), rejection);
        rejection = rejection(run(mesh, savedWithHead, 32, Map.of(setting, List.of("model/*"))));
        assertTrue(rejection.contains("optimizer/exp_avg/" + HEAD) && !rejection.contains("model/" + HEAD), rejection);

        var names = List.of("model/" + HEAD, "optimizer/exp_avg/" + HEAD, "optimizer/exp_avg_sq/" + HEAD);
        var news = resume(run(mesh, savedWithHead, 32, Map.of(setting, List.of("*" + HEAD))));
        var part = (CheckpointTakenInPart) news.getFirst();
        assertEquals(4, part.step());
        assertEquals(savedWithHead ? List.of() : names, part.missing());
        assertEquals(savedWithHead ? names : List.of(), part.unexpected());
    }

    /** Older checkpoints would not fit either, and a wrong shape is not damage. */
    @Test
    void rejectsAModelOfOtherSizes() throws Exception {
        run(Map.of(), false, 32, Map.of()).run();
        Path older = folder.resolve("steered/checkpoints/step-00000002/manifest.json");
        assertTrue(Files.exists(older));
        Files.delete(older);
        for (Map<String, ?> mesh : List.of(Map.of("tensor", 1), Map.of("pipeline", 2))) {
            String rejection = rejection(run(mesh, false, 16, Map.of()));
            assertTrue(
                    rejection.contains("step-00000004: tensor 'model/") && rejection.contains(" there, not ["),
                    rejection);
            assertTrue(rejection.contains("resume with the configuration that it was made with"), rejection);
        }
    }

    @Test
    void missingWeightsKeepTheirValuesWhileOthersAreConverted() {
        run(Map.of(), true, 32, Map.of()).run();
        var steered = run(Map.of("data", 2), false, 32, Map.of("allowMissing", List.of("*" + HEAD)))
                .with("precision", Map.of("name", "bf16", "options", Map.of("masterWeights", "none")));
        try (var strategies = new RunStrategies(steered.catalog, steered.configuration());
                var run = LocalRun.open(strategies.configuration(), strategies.strategies());
                var checkpoints = new RunCheckpoints(run, strategies, folder.resolve("steered/checkpoints"))) {
            Map<String, double[]> before = GlobalState.of(run);
            checkpoints.restore(() -> false);
            Map<String, double[]> after = GlobalState.of(run);
            assertArrayEquals(before.get("model/" + HEAD), after.get("model/" + HEAD));
            assertFalse(Arrays.equals(
                    before.get("model/model.embed_tokens.weight"), after.get("model/model.embed_tokens.weight")));
        }
    }

    @Test
    void ignoresUnusedExceptions() {
        run(Map.of(), false, 32, Map.of()).run();
        assertEquals(
                List.of(), resume(run(Map.of(), false, 32, Map.of("allowMissing", List.of("model/no.such.tensor")))));
    }
}
