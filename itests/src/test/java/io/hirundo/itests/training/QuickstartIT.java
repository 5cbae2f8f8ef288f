package io.hirundo.itests.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
 * Quickstart twice as its users run it, with all JVM compilers and the default kernels, then the commands for the run that it leaves: those
 * whose CPU time is mostly compilation run without the optimizing compiler, {@code generate} both ways.
 */
class QuickstartIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A model and a tokenizer small enough for a test. */
  private static final List<String> TINY =
      TinyTraining.set(
          List.of(
              "model.architecture.options.vocabSize=512", "model.architecture.options.hiddenSize=48",
              "model.architecture.options.intermediateSize=96", "model.architecture.options.numHiddenLayers=2",
              "model.architecture.options.numAttentionHeads=4", "training.sequenceTokens=32", "training.microBatch=4",
              "training.globalBatch=4", "evaluation.samples=8", "evaluation.everySteps=4", "checkpoint.everySteps=4"));

  private static final int STEPS = 6;

  @TempDir private Path folder;

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
    Path cache = folder.resolve("cache");
    Map<String, String> environment = new HashMap<>(Program.AS_SHIPPED);
    environment.put("HIRUNDO_CACHE", cache.toString());
    Program.Result first = quickstart(environment);

    assertEquals(0, first.exitCode(), first::toString);
    Path run = runs.resolve("quickstart-1");
    assertEquals(LongStream.rangeClosed(1, STEPS).boxed().toList(), Metrics.of(run).steps());
    assertTrue(Files.exists(run.resolve("model").resolve("model.safetensors")));
    assertTrue(Files.exists(run.resolve("model").resolve("tokenizer.json")));
    assertTrue(Files.readString(run.resolve("report.html")).contains("Training loss"));
    assertTrue(first.out().contains("$ " + program.home().resolve("bin/hirundo") + " data train-tokenizer"), first::toString);
    List<FileTime> datesOfCachedData = datesBelow(cache.resolve("quickstart"));

    Program.Result second = quickstart(environment);

    assertEquals(0, second.exitCode(), second::toString);
    assertEquals(datesOfCachedData, datesBelow(cache.resolve("quickstart")));
    assertEquals(
        Metrics.of(run).losses(), Metrics.of(runs.resolve("quickstart-2")).losses(), "the same seed and data give bitwise the same losses");
    assertMeasures(run.resolve("model"));
    assertGenerates(run.resolve("model"));
    assertReportsPrecisions(runs.resolve("quickstart-2"));
  }

  private void assertMeasures(Path model) throws Exception {
    List<String> lines = Files.readAllLines(texts.resolve("text-0.txt"));
    Path text = Files.write(folder.resolve("text.txt"), lines.subList(0, lines.size() / 3));
    Program.Result eval = program.start(Program.AS_SHIPPED, "eval", "--model", model.toString(), "--data", text.toString(), "--json").await();
    assertEquals(0, eval.exitCode(), eval::toString);
    JsonNode measured = JSON.readTree(eval.out());
    assertEquals(Math.exp(measured.get("meanLoss").asDouble()), measured.get("perplexity").asDouble(), 1e-6);
    assertTrue(measured.get("tokens").asLong() > 1000, eval::toString);
  }

  private void assertGenerates(Path model) throws Exception {
    String[] generate = {"generate", "--model", model.toString(), "--prompt", "swallow", "--max-tokens", "20"};
    Program.Result text = program.start(Program.AS_SHIPPED, generate).await();
    assertEquals(0, text.exitCode(), text::toString);
    assertTrue(text.out().startsWith("swallow"), text::toString);
    assertEquals(text.out(), program.run(generate).out(), "the text does not depend on the JVM's optimizing compiler");
  }

  private void assertReportsPrecisions(Path run) throws Exception {
    List<String> command = new ArrayList<>(List.of("precision-report", run.toString(), "--out", "report", "--microbatches", "1"));
    command.addAll(TinyTraining.set(TinyTraining.REFERENCE_KERNELS));
    Program.Result report = program.run(command.toArray(String[]::new));
    assertEquals(0, report.exitCode(), report::toString);
    assertTrue(report.out().contains("fp8-blockwise"), report::toString);
    assertTrue(Files.readString(folder.resolve("report").resolve("report.html")).contains("<svg"), report::toString);
  }

  private Program.Result quickstart(Map<String, String> environment) throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("quickstart", "--data", texts.toString(), "--prompt", "the", "--steps", String.valueOf(STEPS)));
    arguments.addAll(TINY);
    return program.start(environment, arguments.toArray(String[]::new)).await();
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
