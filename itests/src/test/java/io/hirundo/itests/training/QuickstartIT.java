package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.itests.program.InProcess;
import io.hirundo.itests.program.Metrics;
import io.hirundo.itests.program.Program;
import io.hirundo.itests.program.SampleTexts;
import io.hirundo.itests.program.TinyTraining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Quickstart in a process, with the default kernels, which the JVM's optimizing compiler compiles. Then again in a framework of this JVM,
 * which has no such compiler, with the commands for the run that it leaves. Losses are the same both ways. So is the text of
 * {@code generate}, which runs in a process with all JVM compilers too.
 */
class QuickstartIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A model and a tokenizer small enough for a test, and short samples: without the optimizing compiler each token takes 25 ms. */
    private static final List<String> TINY = TinyTraining.set(List.of(
            "model.architecture.options.vocabSize=512",
            "model.architecture.options.hiddenSize=32",
            "model.architecture.options.intermediateSize=48",
            "model.architecture.options.numHiddenLayers=2",
            "model.architecture.options.numAttentionHeads=4",
            "training.sequenceTokens=16",
            "training.microBatch=2",
            "training.globalBatch=4",
            "evaluation.samples=4",
            "evaluation.everySteps=2",
            "checkpoint.everySteps=2",
            "samples.tokens=4"));

    private static final int STEPS = 3;

    /** Of five tokens or more each. */
    private static final int EVALUATED_LINES = 50;

    @TempDir
    private Path folder;

    private Path texts;
    private Path runs;
    private Program program;

    @BeforeEach
    void prepare() throws IOException {
        texts = SampleTexts.write(folder);
        runs = folder.resolve("runs");
        program = Program.installed(folder);
    }

    @Test
    void trainsTwiceThenTheModelIsEvaluatedAndGeneratesText() throws Exception {
        // Of the framework, so that its quickstart finds the tokenizer and the dataset of the first.
        Path process = folder.resolve("process");
        Path cache = process.resolve("cache");
        Map<String, String> environment = new HashMap<>(program.compilingKernels());
        environment.put("HIRUNDO_CACHE", cache.toString());
        Program.Result first = program.start(environment, quickstart()).await();

        assertEquals(0, first.exitCode(), first::toString);
        Path run = runs.resolve("quickstart-1");
        assertEquals(
                LongStream.rangeClosed(1, STEPS).boxed().toList(),
                Metrics.of(run).steps());
        assertTrue(Files.exists(run.resolve("model").resolve("model.safetensors")));
        assertTrue(Files.exists(run.resolve("model").resolve("tokenizer.json")));
        assertTrue(Files.readString(run.resolve("report.html")).contains("Training loss"));
        assertTrue(
                first.out().contains("$ " + program.home().resolve("bin/hirundo") + " data train-tokenizer"),
                first::toString);
        List<FileTime> datesOfCachedData = datesBelow(cache.resolve("quickstart"));

        try (InProcess framework = InProcess.start(process)) {
            succeed(framework, quickstart("--run-dir", runs.toString()));
            assertEquals(datesOfCachedData, datesBelow(cache.resolve("quickstart")));
            assertEquals(
                    Metrics.of(run).losses(),
                    Metrics.of(runs.resolve("quickstart-2")).losses(),
                    "the same seed and data give bitwise the same losses");
            assertMeasures(framework, run.resolve("model"));
            assertGenerates(framework, run.resolve("model"));
            assertReportsPrecisions(framework, runs.resolve("quickstart-2"));
        }
    }

    private static Program.Result succeed(InProcess framework, String... arguments) throws Exception {
        Program.Result result = framework.run(Program.LIMIT, List.of(arguments)).orElseThrow();
        assertEquals(0, result.exitCode(), result::toString);
        return result;
    }

    private void assertMeasures(InProcess framework, Path model) throws Exception {
        List<String> lines = Files.readAllLines(texts.resolve("text-0.txt"));
        Path text = Files.write(folder.resolve("text.txt"), lines.subList(0, EVALUATED_LINES));
        Program.Result eval =
                succeed(framework, "eval", "--model", model.toString(), "--data", text.toString(), "--json");
        JsonNode measured = JSON.readTree(eval.out());
        assertEquals(
                Math.exp(measured.get("meanLoss").asDouble()),
                measured.get("perplexity").asDouble(),
                1e-6);
        assertTrue(measured.get("tokens").asLong() > 4 * EVALUATED_LINES, eval::toString);
    }

    private void assertGenerates(InProcess framework, Path model) throws Exception {
        String[] generate = {"generate", "--model", model.toString(), "--prompt", "swallow", "--max-tokens", "20"};
        Program.Result text = program.start(Program.AS_SHIPPED, generate).await();
        assertEquals(0, text.exitCode(), text::toString);
        assertTrue(text.out().startsWith("swallow"), text::toString);
        assertEquals(
                text.out(),
                succeed(framework, generate).out(),
                "the text does not depend on the JVM's optimizing compiler");
    }

    private void assertReportsPrecisions(InProcess framework, Path run) throws Exception {
        Path out = folder.resolve("report");
        List<String> command = new ArrayList<>(
                List.of("precision-report", run.toString(), "--out", out.toString(), "--microbatches", "1"));
        command.addAll(TinyTraining.set(TinyTraining.REFERENCE_KERNELS));
        Program.Result report = succeed(framework, command.toArray(String[]::new));
        assertTrue(report.out().contains("fp8-blockwise"), report::toString);
        assertTrue(Files.readString(out.resolve("report.html")).contains("<svg"), report::toString);
    }

    private String[] quickstart(String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("quickstart", "--data", texts.toString(), "--prompt", "the", "--steps", String.valueOf(STEPS)));
        arguments.addAll(List.of(more));
        arguments.addAll(TINY);
        return arguments.toArray(String[]::new);
    }

    private static List<FileTime> datesBelow(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<FileTime> dates = new ArrayList<>();
            for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                dates.add(Files.getLastModifiedTime(file));
            }
            return dates;
        }
    }
}
