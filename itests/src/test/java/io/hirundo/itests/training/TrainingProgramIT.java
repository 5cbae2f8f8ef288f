package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SmallTraining;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built program as its users run it: train, Ctrl-C, resume. */
class TrainingProgramIT {
    private static final int VOCABULARY = 256;

    /** Texts, a tokenizer and a dataset, made once. */
    @TempDir
    private static Path shared;

    private static SmallTraining small;

    @TempDir
    private Path folder;

    private Program program;

    @BeforeAll
    static void prepareData() throws Exception {
        small = SmallTraining.prepare(Program.installed(shared));
    }

    @BeforeEach
    void prepare() {
        program = Program.installed(folder);
    }

    /** A precision with a history that the checkpoint holds. */
    @Test
    void resumedRunIsBitwiseTheUnbrokenOne() throws Exception {
        assertResumesBitwise("fp8-delayed", "bf16", "dcp-async");
    }

    @ParameterizedTest
    @CsvSource({"fp32, bf16, dcp-async", "bf16, fp32, sync", "fp8-delayed, fp32, sync"})
    @Tag("soak")
    void resumedRunOfEachPrecisionIsBitwiseTheUnbrokenOne(String precision, String other, String checkpoints)
            throws Exception {
        assertResumesBitwise(precision, other, checkpoints);
    }

    /** The run is as large as planned, and a training in either precision resumes in the other. */
    private void assertResumesBitwise(String precision, String other, String checkpoints) throws Exception {
        List<String> assignments = List.of(
                runs(),
                "training.steps=6",
                "evaluation.everySteps=4",
                "checkpoint.everySteps=2",
                "precision=" + precision,
                "checkpoint.strategy=" + checkpoints);
        Program.Result whole =
                InProcess.command(small.arguments("whole", assignments).toArray(String[]::new));
        assertEquals(0, whole.exitCode(), whole::toString);
        List<Double> unbroken = metrics("whole").losses();
        assertEquals(6, unbroken.size());
        assertPlanned("whole");
        // As if the machine had failed after step 5: the checkpoint of step 4 is there, that of step 6 is not.
        delete(run("whole").resolve("checkpoints").resolve("step-00000006"));

        Program.Result resumed = program.run("train", "runs/whole/config.json", "--resume");

        assertEquals(0, resumed.exitCode(), resumed::toString);
        assertEquals(
                LongStream.rangeClosed(1, 6).boxed().toList(), metrics("whole").steps());
        assertEquals(unbroken, metrics("whole").losses());

        Program.Result changed = InProcess.command(
                "train",
                run("whole").resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                runs(),
                "--set",
                "precision=" + other,
                "--set",
                "training.steps=7");

        assertEquals(0, changed.exitCode(), changed::toString);
        assertEquals(
                LongStream.rangeClosed(1, 7).boxed().toList(), metrics("whole").steps());
    }

    @Test
    void runDirectoryBelongsToOneProcessUntilThatIsInterrupted() throws Exception {
        Program.Running running = start("long", "training.steps=100000");
        Path metrics = run("long").resolve("metrics.jsonl");
        running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
        Program.Result other =
                InProcess.command("train", run("long").resolve("config.json").toString(), "--resume", "--set", runs());
        assertEquals(75, other.exitCode(), other::toString);
        assertTrue(other.err().contains("in use"), other::toString);
        running.signal("INT");
        Program.Result ended = running.await();

        assertEquals(130, ended.exitCode(), ended::toString);
        int done = metrics("long").steps().size();
        assertTrue(done > 0 && done < 100000, ended::toString);
        assertTrue(Files.exists(run("long").resolve("model").resolve("model.safetensors")), ended::toString);

        Program.Result resumed = InProcess.command(
                "train",
                run("long").resolve("config.json").toString(),
                "--resume",
                "--lr-schedule",
                "stretch",
                "--set",
                runs(),
                "--set",
                "training.steps=" + (done + 2));

        assertEquals(0, resumed.exitCode(), resumed::toString);
        assertEquals(
                LongStream.rangeClosed(1, done + 2).boxed().toList(),
                metrics("long").steps());
    }

    @Test
    void anInterruptedRunDoesNotWaitForItsValidation() throws Exception {
        List<String> arguments =
                TinyTraining.arguments(VOCABULARY, List.of("evaluation.everySteps=1", "evaluation.samples=16000000"));
        Program.Running running = program.start(Map.of(), arguments.toArray(String[]::new));
        Path metrics = run("synthetic").resolve("metrics.jsonl");
        running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
        running.signal("INT");
        Program.Result ended = running.await();

        assertEquals(130, ended.exitCode(), ended::toString);
        assertEquals(List.of(1L), metrics("synthetic").steps());
        assertFalse(ended.out().contains("validation loss"), ended::toString);
    }

    private void assertPlanned(String run) throws Exception {
        Program.Result plan =
                InProcess.command("plan", run(run).resolve("config.json").toString());

        assertEquals(0, plan.exitCode(), plan::toString);
        assertTrue(plan.out().contains("activations"), plan::toString);
        long peakWeights = metrics(run)
                .of("gradNorm")
                .getLast()
                .get("peakBytes")
                .get("weights")
                .asLong();
        assertTrue(plan.out().replace(",", "").contains(String.valueOf(peakWeights)), plan::toString);
    }

    private Program.Running start(String name, String... assignments) throws IOException {
        return program.start(
                Map.of(), small.arguments(name, List.of(assignments)).toArray(String[]::new));
    }

    private String runs() {
        return "run.directory=" + folder.resolve("runs");
    }

    private Path run(String name) {
        return folder.resolve("runs").resolve(name);
    }

    private Metrics metrics(String name) throws IOException {
        return Metrics.of(run(name));
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
