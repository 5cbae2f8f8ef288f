package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Profiles;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The built program's bundles train on several ranks with the same losses, and one layout resumes the run of another. */
class LayoutsIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final Path SYNTHETIC =
            Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();

    @TempDir
    private Path folder;

    @Test
    void oneLayoutGoesOnWhereAnotherStopped() throws Exception {
        ok(InProcess.command(training("alone", "--set", "training.steps=5")));
        Program.Result split = ok(InProcess.command(training(
                "split",
                "--tp",
                "2",
                "--pp",
                "2",
                "--dp",
                "2",
                "--set",
                "training.steps=3",
                "--set",
                "training.microBatch=2",
                "--set",
                "checkpoint.atEnd=true")));
        assertTrue(split.out().contains("tensor 2 x pipeline 2 x data 2"), split::toString);
        assertTrue(
                split.out().contains("pipeline 0  ranks 0-1, 4-5  model.embed_tokens to model.layers.0"),
                split::toString);
        assertTrue(split.out().contains("pipeline 1  ranks 2-3, 6-7  model.layers.1 to lm_head"), split::toString);
        assertTrue(Files.readString(run("split").resolve("rank-3/log.txt"))
                .contains("place tensor 1 of 2, pipeline 1 of 2"));

        // Two steps more: the loss of the first comes from the loaded weights alone, that of the second from the loaded
        // moments too.
        ok(InProcess.command(
                "train",
                run("split").resolve("config.json").toString(),
                "--resume",
                "--tp",
                "1",
                "--pp",
                "1",
                "--cp",
                "2",
                "--dp",
                "4",
                "--set",
                "training.steps=5",
                "--set",
                "training.microBatch=1"));

        List<Double> alone = losses("alone");
        List<Double> together = losses("split");
        assertEquals(5, alone.size());
        assertEquals(5, together.size());
        for (int step = 0; step < 5; step++) {
            assertEquals(1, together.get(step) / alone.get(step), 1e-5, "step " + (step + 1));
        }
    }

    @Test
    void aPlanForProcessesStartsNone() throws Exception {
        var plan = List.of("plan", SYNTHETIC.toString(), "--tp", "2", "--dp", "2");
        Program.Result threads = InProcess.command(plan.toArray(String[]::new));
        var ofProcesses = new ArrayList<>(plan);
        ofProcesses.addAll(List.of("--set", "mesh.fabric=mpi"));
        Program.Result processes = InProcess.command(ofProcesses.toArray(String[]::new));

        assertEquals(0, threads.exitCode(), threads::toString);
        assertEquals(0, processes.exitCode(), processes::toString);
        String note = "Not counted: what the fabric mpi itself takes for its messages\n";
        assertTrue(processes.out().contains(note), processes::toString);
        assertEquals(threads.out(), processes.out().replace(note, ""));
    }

    @Test
    void rejectsTheSameSettingTwice() throws Exception {
        Program.Result rejected =
                InProcess.command("train", SYNTHETIC.toString(), "--tp", "2", "--set", "mesh.tensor=4");

        assertEquals(78, rejected.exitCode(), rejected::toString);
        assertTrue(rejected.err().contains("--tp 2 and --set mesh.tensor=4 set the same value"), rejected::toString);
    }

    private static Program.Result ok(Program.Result result) {
        assertEquals(0, result.exitCode(), result::toString);
        return result;
    }

    private String[] training(String name, String... more) {
        var arguments = new ArrayList<>(List.of(
                "train",
                SYNTHETIC.toString(),
                "--set",
                "run.name=" + name,
                "--set",
                "run.directory=" + folder.resolve("runs"),
                "--set",
                "checkpoint.strategy=dcp-async",
                "--set",
                "training.sequenceTokens=8",
                "--set",
                "model.architecture.options.hiddenSize=32",
                "--set",
                "model.architecture.options.intermediateSize=32"));
        arguments.addAll(TinyTraining.set(TinyTraining.REFERENCE_KERNELS));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private Path run(String name) {
        return folder.resolve("runs").resolve(name);
    }

    private List<Double> losses(String name) throws IOException {
        var losses = new ArrayList<Double>();
        for (String line : Files.readAllLines(run(name).resolve("metrics.jsonl"))) {
            JsonNode object = JSON.readTree(line);
            if (object.has("gradNorm")) {
                losses.add(object.get("loss").asDouble());
            }
        }
        return losses;
    }
}
