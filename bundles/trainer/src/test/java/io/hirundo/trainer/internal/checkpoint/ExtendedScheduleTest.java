package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.event.TrainingEvent.StepCompleted;
import io.hirundo.event.TrainingEvent.StrategiesChanged;
import io.hirundo.learningrate.internal.CosineFactory;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The learning rates of runs that are resumed with more steps. */
class ExtendedScheduleTest {
    @TempDir
    Path folder;

    private SteeredRun run(long steps, double finalRate) {
        var run = new SteeredRun(folder)
                .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4))
                .with(
                        "learningRate",
                        Map.of(
                                "name",
                                "cosine",
                                "options",
                                Map.of("peak", 1e-3, "warmupSamples", 7, "finalRate", finalRate)))
                .with("checkpoint", Map.of("strategy", "sync"));
        run.catalog.add("learning-rate", "cosine", new CosineFactory());
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run;
    }

    private static List<Double> rates(SteeredRun run) {
        return run.events(StepCompleted.class).stream()
                .map(step -> step.metrics().learningRate())
                .toList();
    }

    private String configuration() throws IOException {
        return Files.readString(folder.resolve("steered/config.json"));
    }

    @Test
    void keepsLengthOfTheScheduleThatTheRunBeganWith() throws IOException {
        List<Double> first = rates(run(4, 1e-4).run());
        // 7 samples are two steps of 4.
        assertEquals(List.of(5e-4, 1e-3, 5.5e-4, 1e-4), first);
        assertTrue(
                configuration().contains("\"scheduleSteps\": 0"),
                "a new run from this configuration has a schedule of its own steps");
        assertEquals(List.of(1e-4, 1e-4), rates(run(6, 1e-4).resume()));
        assertTrue(configuration().contains("\"scheduleSteps\": 4"));
        assertEquals(List.of(1e-4), rates(run(7, 1e-4).resume()), "the length is recorded with the checkpoint, too");
    }

    @Test
    void rejectsExtensionAtRateZeroAndChangesNothing() throws IOException {
        run(4, 0).run();
        String before = configuration();
        var failure = assertThrows(ConfigurationException.class, () -> run(6, 0).resume());
        assertTrue(
                failure.getMessage().startsWith("training.steps: 6 extends the run beyond its learning-rate schedule"),
                failure.getMessage());
        assertTrue(failure.getMessage().endsWith("config.json --resume --lr-schedule restart"), failure.getMessage());
        assertEquals(before, configuration());
    }

    @Test
    void reportsTheRateThatASwapChanges() {
        SteeredRun run = run(4, 1e-4);
        run.change(1, "learningRate.options.peak=2e-3");
        run.run();
        var changes = run.events(StrategiesChanged.class).getFirst().changes();
        assertTrue(changes.contains("learning rate of step 2: 0.001 to 0.002"), changes.toString());
    }
}
