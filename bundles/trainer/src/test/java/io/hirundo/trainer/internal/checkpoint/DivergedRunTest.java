package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DivergedException;
import io.hirundo.checkpointdcp.internal.session.AsyncFactory;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.lib.files.RuinedMark;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.optimizer.LearningRateSchedule;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.strategy.NoOptions;
import io.hirundo.strategy.StrategyFactory;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.fixture.Fixed;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.PartOfWorld;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import io.hirundo.trainer.internal.fixture.ZeroPrecision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs whose loss or gradient becomes NaN, and runs that return to an earlier checkpoint. */
class DivergedRunTest {
    /** Ruins the weights of this step. */
    private static final long LAST_GOOD = 3;

    @TempDir
    Path folder;

    /** @param rate after the last good step */
    private record Explosion(double rate) implements StrategyFactory<NoOptions, LearningRateSchedule> {
        @Override
        public LearningRateSchedule create(NoOptions options) {
            return (step, steps) -> step <= LAST_GOOD ? 1e-3 : rate;
        }
    }

    private SteeredRun run(String strategy, String rate) {
        var run = new SteeredRun(folder)
                .with("training", Map.of("steps", 6, "sequenceTokens", 16, "globalBatch", 4))
                .with("learningRate", Map.of("name", rate))
                .with(
                        "checkpoint",
                        Map.of(
                                "strategy",
                                Map.of("name", strategy, "options", Map.of("keepLast", 9)),
                                "everySteps",
                                1));
        run.catalog.add("learning-rate", "explosion", new Explosion(1e30));
        run.catalog.add("learning-rate", "overflow", new Explosion(1e39));
        run.catalog.add("precision", "zero", new Fixed<>(PrecisionStrategy.class, new ZeroPrecision()));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        run.catalog.add("checkpoint", "dcp-async", new AsyncFactory(NamedBundle.context()));
        return run;
    }

    private Path checkpoint(long step) {
        return folder.resolve("steered/checkpoints/step-%08d".formatted(step));
    }

    private static ResumeRequest at(long step) {
        return new ResumeRequest(
                OptionalLong.of(step), ScheduleChoice.UNCHANGED, List.of("train", "c.yaml", "--resume"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "dcp-async"})
    void namesTheCheckpointToTakeAndMarksTheOneThatDiverges(String strategy) throws IOException {
        var diverged = assertThrows(DivergedException.class, run(strategy, "explosion")::run);
        assertTrue(
                diverged.getMessage()
                        .matches("the (loss|gradient norm) of step 5 is (NaN|-?Infinity); the newest good .*"),
                diverged.getMessage());
        assertTrue(diverged.getMessage().endsWith("config.json --resume --at 3"), diverged.getMessage());
        assertTrue(RuinedMark.read(checkpoint(4)).isPresent());
        assertFalse(RuinedMark.read(checkpoint(3)).isPresent());

        var rejection = assertThrows(DivergedException.class, run(strategy, "constant")::resume);
        assertTrue(rejection.getMessage().contains("step-00000004 is marked: "), rejection.getMessage());
        assertTrue(rejection.getMessage().endsWith("config.json --resume --at 3"), rejection.getMessage());

        SteeredRun resumed = run(strategy, "constant").resume(at(3));
        assertEquals(3, resumed.losses.size());
        assertTrue(Files.exists(folder.resolve("steered/abandoned/after-step-3/step-00000004")));
        assertFalse(RuinedMark.read(checkpoint(4)).isPresent(), "the new checkpoint of the step has no mark");
        assertTrue(
                run(strategy, "constant").resume().ending.hadEnded(), "a later resume finds the new checkpoints only");
    }

    @Test
    void marksACheckpointWhoseWeightsAreNotFinite() {
        run("sync", "overflow")
                .with("training", Map.of("steps", LAST_GOOD + 1, "sequenceTokens", 16, "globalBatch", 4))
                .run();
        var rejection = assertThrows(DivergedException.class, run("sync", "constant")::resume);
        assertTrue(
                rejection.getMessage().contains("step-00000004 is marked: a weight is NaN or infinite after step 4; "),
                rejection.getMessage());
        assertTrue(rejection.getMessage().endsWith("config.json --resume --at 3"), rejection.getMessage());
        var taken = assertThrows(
                DivergedException.class, () -> run("sync", "constant").resume(at(4)));
        assertTrue(taken.getMessage().startsWith("the loss of step 5 is NaN; "), taken.getMessage());
    }

    @Test
    void marksACheckpointWhoseGradientVanished() throws IOException {
        var run = run("sync", "constant")
                .with("training", Map.of("steps", 2, "sequenceTokens", 16, "globalBatch", 4))
                .with("precision", Map.of("name", "zero"));
        run.run();
        String manifest = Files.readString(checkpoint(2).resolve("manifest.json"));
        assertTrue(manifest.contains("\"vanished\":\"the gradient norm of step 2 is 0\""));
        assertEquals(4, run("sync", "constant").resume().losses.size(), "a resume continues");
        assertFalse(Files.readString(checkpoint(6).resolve("manifest.json")).contains("vanished"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nameOfTheNewestIsThatOfTheCheckpointReturnedTo(int processes) throws IOException {
        train(processes, 6, Optional.empty());
        assertEquals("step-00000006\n", Files.readString(checkpoint(6).resolveSibling("latest")));
        train(processes, 3, Optional.of(at(3)));
        assertEquals("step-00000003\n", Files.readString(checkpoint(3).resolveSibling("latest")));
        assertTrue(Files.exists(folder.resolve("steered/abandoned/after-step-3/step-00000006")));
    }

    /** Two data-parallel ranks in so many processes. */
    private void train(int processes, int steps, Optional<ResumeRequest> resume) {
        var checkpoint = Map.of(
                "strategy", Map.of("name", "sync", "options", Map.of("keepLast", 9)), "everySteps", 3, "atEnd", false);
        List<List<Integer>> ranks = processes == 1 ? List.of(List.of(0, 1)) : List.of(List.of(0), List.of(1));
        PartOfWorld.together(ranks, part -> {
            SteeredRun run = run("sync", "constant")
                    .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4))
                    .with("mesh", Map.of("data", 2, "fabric", "part"))
                    .with("checkpoint", checkpoint)
                    .part(part);
            resume.ifPresentOrElse(run::resume, run::run);
        });
    }

    @Test
    void earlierCheckpointContinuesAsTheRunDid() {
        List<Double> once = run("sync", "constant").run().losses;
        assertEquals(once.subList(2, 6), run("sync", "constant").resume(at(2)).losses);
        assertEquals(once.subList(4, 6), run("sync", "constant").resume(at(4)).losses);
        assertTrue(Files.exists(folder.resolve("steered/abandoned/after-step-2/step-00000006")));
        assertTrue(Files.exists(folder.resolve("steered/abandoned/after-step-4/step-00000006")));
    }

    @Test
    void rejectsStepWithoutACheckpoint() {
        run("sync", "constant").run();
        var failure = assertThrows(
                ConfigurationException.class, () -> run("sync", "constant").resume(at(9)));
        assertTrue(failure.getMessage().startsWith("--at: there is no checkpoint of step 9 in "), failure.getMessage());
        assertTrue(failure.getMessage().endsWith("(allowed: 6, 5, 4, 3, 2, 1)"), failure.getMessage());
        assertFalse(Files.exists(folder.resolve("steered/abandoned")));
    }
}
