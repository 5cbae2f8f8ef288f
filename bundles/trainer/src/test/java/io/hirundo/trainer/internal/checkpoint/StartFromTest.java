package io.hirundo.trainer.internal.checkpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.checkpointdcp.internal.session.SyncFactory;
import io.hirundo.lib.run.rate.ScheduleChoice;
import io.hirundo.optimizerlion.internal.LionFactory;
import io.hirundo.trainer.internal.checkpoint.value.ResumeRequest;
import io.hirundo.trainer.internal.checkpoint.value.StartWith;
import io.hirundo.trainer.internal.fixture.NamedBundle;
import io.hirundo.trainer.internal.fixture.SteeredRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New runs that start from a checkpoint of another one. */
class StartFromTest {
    @TempDir
    Path folder;

    private SteeredRun run(String name, long steps, Map<String, ?> mesh) {
        var run = new SteeredRun(folder)
                .with("run", Map.of("name", name, "directory", folder.toString()))
                .with("training", Map.of("steps", steps, "sequenceTokens", 16, "globalBatch", 4))
                .with("mesh", mesh)
                .with(
                        "checkpoint",
                        Map.of("strategy", Map.of("name", "sync", "options", Map.of("keepLast", 9)), "everySteps", 1));
        run.catalog.add("checkpoint", "sync", new SyncFactory(NamedBundle.context()));
        return run;
    }

    private ResumeRequest from(String name, long step, StartWith with) {
        return new ResumeRequest(
                Optional.of(folder.resolve(name)),
                with,
                OptionalLong.of(step),
                ScheduleChoice.UNCHANGED,
                List.of("train", "c.yaml"));
    }

    private List<Double> started(String name, long steps, Map<String, ?> mesh, StartWith with) {
        return run(name, steps, mesh).start(from("first", 3, with)).losses;
    }

    @Test
    void dataContinuesAsTheOtherRunDid() throws IOException {
        List<Double> first = run("first", 6, Map.of()).run().losses;
        assertEquals(first.subList(3, 6), started("fork", 6, Map.of(), StartWith.DATA));
        assertTrue(Files.readString(folder.resolve("fork/started-from.json")).contains("\"step\": 3"));
        assertTrue(
                Files.exists(folder.resolve("first/checkpoints/step-00000006")),
                "the other run keeps its later checkpoints");
        assertThrows(ConfigurationException.class, () -> started("done", 3, Map.of(), StartWith.DATA));
    }

    @Test
    void weightsAndOptimizerBeginWithStepOne() {
        List<Double> first = run("first", 6, Map.of()).run().losses;
        List<Double> weights = started("weights", 3, Map.of(), StartWith.WEIGHTS);
        List<Double> optimizer = started("optimizer", 3, Map.of(), StartWith.OPTIMIZER);
        assertEquals(3, weights.size());
        assertEquals(weights.getFirst(), optimizer.getFirst(), "the same weights and samples");
        assertNotEquals(first.getFirst(), weights.getFirst());
        assertNotEquals(weights.get(1), optimizer.get(1), "other optimizer state");
        // A resumed run counts the steps of its optimizer as the unbroken one does.
        run("two", 2, Map.of()).start(from("first", 3, StartWith.OPTIMIZER));
        assertEquals(
                optimizer.getLast(),
                run("two", 3, Map.of())
                        .resume(ResumeRequest.newest(folder.resolve("two/config.json")))
                        .losses
                        .getFirst());
    }

    @Test
    void stateOfAnotherOptimizerIsRejectedWithTheWayWithoutIt() {
        run("first", 3, Map.of()).run();
        var lion = run("lion", 3, Map.of()).with("optimizer", Map.of("name", "lion"));
        lion.catalog.add("optimizer", "lion", new LionFactory());
        String rejection = assertThrows(
                        ConfigurationException.class, () -> lion.start(from("first", 3, StartWith.OPTIMIZER)))
                .getMessage();
        assertTrue(rejection.startsWith("--start-from: "), rejection);
        assertTrue(
                rejection.contains(
                        "; start with the configuration that it was made with, or with --start-with weights, or name in"),
                rejection);
    }

    @Test
    void takesWeightsInAnotherLayout() {
        run("first", 3, Map.of()).run();
        List<Double> one = started("one", 2, Map.of(), StartWith.WEIGHTS);
        List<Double> two = started("two", 2, Map.of("tensor", 2), StartWith.WEIGHTS);
        assertEquals(one.getLast(), two.getLast(), 1e-5);
    }
}
