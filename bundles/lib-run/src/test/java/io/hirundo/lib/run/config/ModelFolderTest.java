package io.hirundo.lib.run.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelFolderTest {
    @TempDir
    private Path folder;

    private Path run;

    @BeforeEach
    void createRun() throws IOException {
        run = Files.createDirectories(folder.resolve("runs/first"));
        Files.createFile(run.resolve("config.json"));
        Files.createFile(run.resolve("metrics.jsonl"));
    }

    @Test
    void acceptsModelsInsideAndOutsideOfRuns() throws IOException {
        for (String name : new String[] {"runs/first/model", "runs/first/converted", "elsewhere"}) {
            Path model = Files.createDirectories(folder.resolve(name));
            Files.createFile(model.resolve("config.json"));
            assertEquals(model, ModelFolder.require("model.from=", model));
        }
    }

    /** The format's own error says what is wrong with it. */
    @Test
    void leavesOtherFoldersToTheFormat() throws IOException {
        Path missing = folder.resolve("none");
        assertEquals(missing, ModelFolder.require("model.from=", missing));
        Path dcp = Files.createDirectories(run.resolve("dcp"));
        assertEquals(dcp, ModelFolder.require("model.from=", dcp));
    }

    @Test
    void namesModelOfRun() throws IOException {
        Files.createFile(Files.createDirectories(run.resolve("model")).resolve("config.json"));
        assertEquals(
                "model.from: " + run + " is a run directory, not a model; give the model in it: model.from="
                        + run.resolve("model"),
                rejection("model.from=", run));
        assertEquals(
                "--model: " + run + " is a run directory, not a model; give the model in it: --model "
                        + run.resolve("model"),
                rejection("--model ", run));
    }

    @Test
    void namesModelOfRunForItsCheckpoints() throws IOException {
        Files.createFile(Files.createDirectories(run.resolve("model")).resolve("config.json"));
        Path checkpoint = Files.createDirectories(run.resolve("checkpoints/step-00000010"));
        for (Path given : new Path[] {checkpoint, checkpoint.getParent()}) {
            assertEquals(
                    "model.from: " + given
                            + " is in a run directory, and not its model; give the model in it: model.from="
                            + run.resolve("model"),
                    rejection("model.from=", given));
        }
    }

    @Test
    void namesCommandThatContinuesRunWithoutModel() {
        for (Path given : new Path[] {run, run.resolve("model")}) {
            String said = rejection("model.from=", given);
            assertTrue(
                    said.endsWith(", which it exports when it ends (model.export); to continue the run: hirundo train "
                            + run.resolve("config.json") + " --resume"),
                    said);
        }
    }

    @Test
    void namesFolderOfModelForItsFile() throws IOException {
        Path model = Files.createDirectories(folder.resolve("model"));
        Files.createFile(model.resolve("config.json"));
        Path weights = Files.createFile(model.resolve("model.safetensors"));
        assertEquals(
                "model.from: " + weights + " is a file of a model; give its folder: model.from=" + model,
                rejection("model.from=", weights));
    }

    private static String rejection(String setting, Path given) {
        return assertThrows(ConfigurationException.class, () -> ModelFolder.require(setting, given))
                .getMessage();
    }
}
