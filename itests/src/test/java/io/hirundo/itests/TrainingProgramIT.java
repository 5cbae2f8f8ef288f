package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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

/** The built program as its users run it: quickstart twice, Ctrl-C, resume, eval and generate. */
class TrainingProgramIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int VOCABULARY = 256;

  /** For quickstart: a model and a tokenizer small enough for a test. */
  private static final List<String> TINY =
      List.of(
          "--set", "model.architecture.options.vocabSize=512",
          "--set", "model.architecture.options.hiddenSize=48", "--set", "model.architecture.options.intermediateSize=96",
          "--set", "model.architecture.options.numHiddenLayers=2", "--set", "model.architecture.options.numAttentionHeads=4",
          "--set", "training.sequenceTokens=32", "--set", "training.microBatch=4", "--set", "training.globalBatch=4",
          "--set", "evaluation.samples=8", "--set", "evaluation.everySteps=4", "--set", "checkpoint.everySteps=4");

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

  @Test
  void quickstartTwice() throws Exception {
    Path cache = folder.resolve("cache");
    Program.Result first = quickstartAsShipped(cache, "--steps", "6");

    assertEquals(0, first.exitCode(), first::toString);
    assertEquals(LongStream.rangeClosed(1, 6).boxed().toList(), steps("quickstart-1"));
    assertTrue(Files.exists(run("quickstart-1").resolve("model").resolve("model.safetensors")));
    assertTrue(Files.exists(run("quickstart-1").resolve("model").resolve("tokenizer.json")));
    assertTrue(Files.readString(run("quickstart-1").resolve("report.html")).contains("Training loss"));
    assertTrue(first.out().contains("$ " + program.home().resolve("bin/hirundo") + " data train-tokenizer"), first::toString);
    List<FileTime> datesOfKeptData = datesBelow(cache.resolve("quickstart"));

    Program.Result second = quickstartAsShipped(cache, "--steps", "6");

    assertEquals(0, second.exitCode(), second::toString);
    assertEquals(datesOfKeptData, datesBelow(cache.resolve("quickstart")));
    assertEquals(losses("quickstart-1"), losses("quickstart-2"), "the same seed and data give bitwise the same losses");

    Program.Result eval =
        asShipped(List.of("eval", "--model", "runs/quickstart-1/model", "--data", shared.resolve("texts/text-0.txt").toString(), "--json"));
    assertEquals(0, eval.exitCode(), eval::toString);
    JsonNode measured = JSON.readTree(eval.out());
    assertEquals(Math.exp(measured.get("meanLoss").asDouble()), measured.get("perplexity").asDouble(), 1e-6);
    assertTrue(measured.get("tokens").asLong() > 1000, eval::toString);

    List<String> generate =
        List.of("generate", "--model", "runs/quickstart-1/model", "--prompt", "swallow", "--max-tokens", "20");
    Program.Result text = asShipped(generate);
    assertEquals(0, text.exitCode(), text::toString);
    assertTrue(text.out().startsWith("swallow"), text::toString);
    assertEquals(text.out(), asShipped(generate).out(), "the same seed gives the same text");

    Program.Result report = asShipped(List.of("precision-report", "runs/quickstart-1", "--out", "report"));
    assertEquals(0, report.exitCode(), report::toString);
    assertTrue(report.out().contains("fp8-blockwise"), report::toString);
    assertTrue(Files.readString(folder.resolve("report").resolve("report.html")).contains("<svg"), report::toString);
  }

  /** A precision with a history that the checkpoint holds. */
  @Test
  void resumedRunIsBitwiseTheUnbrokenOne() throws Exception {
    assertResumesBitwise("fp8-delayed", "bf16", "dcp-async");
  }

  @ParameterizedTest
  @CsvSource({"fp32, bf16, dcp-async", "bf16, fp32, sync", "fp8-delayed, fp32, sync"})
  @Tag("soak")
  void resumedRunOfEachPrecisionIsBitwiseTheUnbrokenOne(String precision, String other, String checkpoints) throws Exception {
    assertResumesBitwise(precision, other, checkpoints);
  }

  /** The run is as large as planned, and a training in either precision resumes in the other. */
  private void assertResumesBitwise(String precision, String other, String checkpoints) throws Exception {
    Program.Result whole =
        start("whole", "training.steps=6", "training.microBatch=4", "training.globalBatch=4", "evaluation.everySteps=4", "checkpoint.everySteps=2",
                "precision=" + precision, "checkpoint.strategy=" + checkpoints)
            .await();
    assertEquals(0, whole.exitCode(), whole::toString);
    List<Double> unbroken = losses("whole");
    assertEquals(6, unbroken.size());
    assertPlanned("whole");
    // As if the machine had failed after step 5: the checkpoint of step 4 is there, that of step 6 is not.
    delete(run("whole").resolve("checkpoints").resolve("step-00000006"));

    Program.Result resumed = program.run("train", "runs/whole/config.json", "--resume");

    assertEquals(0, resumed.exitCode(), resumed::toString);
    assertEquals(LongStream.rangeClosed(1, 6).boxed().toList(), steps("whole"));
    assertEquals(unbroken, losses("whole"));

    Program.Result changed =
        program.run(
            "train", "runs/whole/config.json", "--resume", "--set", "precision=" + other, "--set", "training.steps=7");

    assertEquals(0, changed.exitCode(), changed::toString);
    assertEquals(LongStream.rangeClosed(1, 7).boxed().toList(), steps("whole"));
  }

  @Test
  void interruptedAndResumed() throws Exception {
    Program.Running running = start("long", "training.steps=100000");
    Path metrics = run("long").resolve("metrics.jsonl");
    running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
    running.signal("INT");
    Program.Result ended = running.await();

    assertEquals(130, ended.exitCode(), ended::toString);
    int done = steps("long").size();
    assertTrue(done > 0 && done < 100000, ended::toString);
    assertTrue(Files.exists(run("long").resolve("model").resolve("model.safetensors")), ended::toString);

    Program.Result resumed =
        program.run("train", "runs/long/config.json", "--resume", "--set", "training.steps=" + (done + 2));

    assertEquals(0, resumed.exitCode(), resumed::toString);
    assertEquals(LongStream.rangeClosed(1, done + 2).boxed().toList(), steps("long"));
  }

  @Test
  void anInterruptedRunDoesNotWaitForItsValidation() throws Exception {
    List<String> arguments = TinyTraining.arguments(VOCABULARY, List.of("evaluation.everySteps=1", "evaluation.samples=16000000"));
    Program.Running running = program.start(Map.of(), arguments.toArray(String[]::new));
    Path metrics = run("synthetic").resolve("metrics.jsonl");
    running.awaitUntil(() -> Files.exists(metrics) && Files.size(metrics) > 0);
    running.signal("INT");
    Program.Result ended = running.await();

    assertEquals(130, ended.exitCode(), ended::toString);
    assertEquals(List.of(1L), steps("synthetic"));
    assertFalse(ended.out().contains("validation loss"), ended::toString);
  }

  @Test
  void aRunDirectoryBelongsToOneProcess() throws Exception {
    Program.Running running = start("taken", "training.steps=100000");
    running.awaitUntil(() -> Files.exists(run("taken").resolve("metrics.jsonl")));
    Program.Result other = program.run("train", "runs/taken/config.json", "--resume");
    running.signal("TERM");
    Program.Result ended = running.await();

    assertEquals(75, other.exitCode(), other::toString);
    assertTrue(other.err().contains("in use"), other::toString);
    assertEquals(130, ended.exitCode(), ended::toString);
  }

  private void assertPlanned(String run) throws Exception {
    Program.Result plan = program.run("plan", "runs/" + run + "/config.json");

    assertEquals(0, plan.exitCode(), plan::toString);
    assertTrue(plan.out().contains("activations"), plan::toString);
    long peakWeights = metrics(run).getLast().get("peakBytes").get("weights").asLong();
    assertTrue(plan.out().replace(",", "").contains(String.valueOf(peakWeights)), plan::toString);
  }

  /** With the kernels and the JVM that a user has. */
  private Program.Result quickstartAsShipped(Path cache, String... more) throws Exception {
    Map<String, String> environment = new HashMap<>(Program.AS_SHIPPED);
    environment.put("HIRUNDO_CACHE", cache.toString());
    return program.start(environment, arguments(more).toArray(String[]::new)).await();
  }

  private Program.Running start(String name, String... assignments) throws IOException {
    return program.start(Map.of(), small.arguments(name, List.of(assignments)).toArray(String[]::new));
  }

  private Program.Result asShipped(List<String> arguments) throws Exception {
    return program.start(Program.AS_SHIPPED, arguments.toArray(String[]::new)).await();
  }

  private List<String> arguments(String... more) {
    List<String> arguments = new ArrayList<>(List.of("quickstart", "--data", shared.resolve("texts").toString(), "--prompt", "the"));
    arguments.addAll(TINY);
    arguments.addAll(List.of(more));
    return arguments;
  }

  private Path run(String name) {
    return folder.resolve("runs").resolve(name);
  }

  private List<JsonNode> metrics(String name) throws IOException {
    List<JsonNode> objects = new ArrayList<>();
    for (String line : Files.readAllLines(run(name).resolve("metrics.jsonl"))) {
      objects.add(JSON.readTree(line));
    }
    return objects.stream().filter(object -> object.has("gradNorm")).toList();
  }

  private List<Long> steps(String name) throws IOException {
    return metrics(name).stream().map(object -> object.get("step").asLong()).toList();
  }

  private List<Double> losses(String name) throws IOException {
    return metrics(name).stream().map(object -> object.get("loss").asDouble()).toList();
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

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
