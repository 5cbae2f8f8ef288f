package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.itests.faults.InProcess;
import io.hirundo.itests.plugin.Metronome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of project that {@code plugin new} writes is built by Maven, its contract test run, and used by the program: in processes of
 * its own where it finds the jars itself, and else in a framework of this process that has them too.
 */
class PluginNewIT {
  /** Each kind of project, and the kind of its strategy; a command has none. */
  private static final Map<String, String> STRATEGIES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("precision", "precision"), Map.entry("checkpoint", "checkpoint"), Map.entry("store", "checkpoint-store"),
              Map.entry("data", "data"), Map.entry("tokenizer", "tokenizer"), Map.entry("monitor", "monitor"),
              Map.entry("device", "device"), Map.entry("fabric", "fabric"), Map.entry("optimizer", "optimizer"),
              Map.entry("learning-rate", "learning-rate"), Map.entry("schedule", "schedule"), Map.entry("model", "architecture"),
              Map.entry("format", "model-format"), Map.entry("kernels", "kernels"), Map.entry("data-parallel", "data-parallel"),
              Map.entry("tensor-parallel", "tensor-parallel"), Map.entry("context-parallel", "context-parallel"),
              Map.entry("command", "")));

  private static final Set<String> KINDS = STRATEGIES.keySet();

  /** Bytes, and the end of a text. */
  private static final int VOCABULARY = 257;

  /** Steps until a checkpoint, and in all after a resume. */
  private static final int STEPS = 3;

  private static final int RESUMED_STEPS = 5;

  private static final String OLMO2 = "olmo2";
  private static final Path OLMO2_SOURCES = Path.of("src/test/projects/olmo2/src");

  @TempDir private static Path shared;

  /** The program with all of them in its plugins/; its path has special characters. */
  private static Program program;

  /** The bundles of all profiles with all of these plugins. */
  private static InProcess hirundo;

  @TempDir private Path folder;

  @BeforeAll
  static void makeAndBuildAllKinds() throws Exception {
    program = new Program(Profiles.copyOfDistro(shared.resolve("a hirundo & co")), shared);
    makeAllKinds();
    for (String kind : KINDS) {
      testInMaven(shared.resolve(name(kind)).resolve("pom.xml"));
    }
    new OfflineMaven(shared).buildTogether(Stream.concat(KINDS.stream().map(PluginNewIT::name), Stream.of(OLMO2)).toList());
    for (String kind : KINDS) {
      Files.copy(jar(kind), program.home().resolve("plugins").resolve(name(kind) + ".jar"));
    }
    Files.copy(shared.resolve(OLMO2).resolve("target/olmo2.jar"), program.plugin("olmo2.jar"));
    hirundo = InProcess.start(Files.createDirectory(shared.resolve("process")), program.home(), "cpu");
    PluginJar.listener("metronome", Metronome.class).drop(program.plugin("metronome.jar"));
  }

  /** The first as users do, in the current folder; the others in a framework of this process, because the start of a program costs a second. */
  private static void makeAllKinds() throws Exception {
    String first = KINDS.iterator().next();
    Program.Result written = program.run("--profile", "minimal", "plugin", "new", name(first), "--kind", first);
    assertEquals(0, written.exitCode(), written::toString);
    try (InProcess withoutPlugins = InProcess.start(Files.createDirectory(shared.resolve("process of plugin new")), program.home(), "minimal")) {
      for (String kind : KINDS) {
        if (!kind.equals(first)) {
          succeed(pluginNew(withoutPlugins, name(kind), kind, shared.resolve(name(kind))));
        }
      }
      makeOlmo2(withoutPlugins);
    }
  }

  private static Program.Result pluginNew(InProcess in, String name, String kind, Path project) throws Exception {
    return in.run(InProcess.LIMIT, List.of("plugin", "new", name, "--kind", kind, "--directory", project.toString())).orElseThrow();
  }

  private static Program.Result inThisProcess(String... arguments) throws Exception {
    return hirundo.run(Program.LIMIT, List.of(arguments)).orElseThrow();
  }

  private static Program.Result succeed(Program.Result result) {
    assertEquals(0, result.exitCode(), result::toString);
    return result;
  }

  @AfterAll
  static void end() throws Exception {
    hirundo.close();
  }

  /** A family that a third party wrote: the files of a new project, with other sources. */
  private static void makeOlmo2(InProcess in) throws Exception {
    succeed(pluginNew(in, OLMO2, "model", shared.resolve(OLMO2)));
    Path project = shared.resolve(OLMO2);
    Files.move(project.resolve("src"), shared.resolve("olmo2 as written"));
    try (Stream<Path> files = Files.walk(OLMO2_SOURCES)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, project.resolve("src").resolve(OLMO2_SOURCES.relativize(file).toString()));
      }
    }
  }

  /** Tests of all kinds but {@link #OLMO2} run in Maven's own JVM: the start of another one for each takes longer than they do. */
  private static void testInMaven(Path pom) throws IOException {
    String written = Files.readString(pom);
    String changed = written.replace("</properties>", "<forkCount>0</forkCount></properties>");
    assertNotEquals(written, changed);
    Files.writeString(pom, changed);
  }

  @Test
  void theirStrategiesAreListed() throws Exception {
    Program.Result plugins = program.run("--profile", "minimal", "plugins");

    assertEquals(0, plugins.exitCode(), plugins::toString);
    STRATEGIES.forEach(
        (kind, served) -> {
          String bundle = "org[.]example[.]acme" + kind.replace("-", "");
          Pattern line = Pattern.compile("^" + served + " +acme-" + kind + " +" + bundle + " 1[.]0[.]0$", Pattern.MULTILINE);
          assertTrue(served.isEmpty() || line.matcher(plugins.out()).find(), () -> kind + ": " + plugins);
        });
  }

  @Test
  void aTrainingWorksWithThem() throws Exception {
    Path text = Files.writeString(folder.resolve("text.txt"), "All happy families are alike. ".repeat(500));
    Path backup = Files.createDirectory(folder.resolve("backup"));
    Program here = new Program(program.home(), folder);
    Program.Result trained = here.run(
        inMinimalProfile(tiny("train", "run.name=acme", "training.steps=4", "mesh.data=2", "mesh.fabric=acme-fabric", "mesh.dataParallel=acme-data-parallel",
            "device=acme-device",
            "precision={name: acme-precision, options: {roundWeights: true}}",
            "optimizer={name: acme-optimizer, options: {momentum: 0.8}}",
            "learningRate={name: acme-learning-rate, options: {peak: 0.01, warmupSteps: 2}}",
            "data.source={name: acme-data, options: {file: " + text + "}}", "data.tokenizer=acme-tokenizer",
            "monitors=[console, jsonl, {name: acme-monitor, options: {everySteps: 2}}]",
            "checkpoint.strategy=acme-checkpoint", "checkpoint.atEnd=true",
            "model.export=true", "model.exportFormat=acme-format", "checkpoint.store={name: acme-store, options: {path: " + backup + "}}")));
    assertEquals(0, trained.exitCode(), trained::toString);
    for (String told : List.of("^acme-device: [1-9]\\d* GEMMs", "^acme-fabric: rank 0: [1-9]\\d* collectives and transfers of")) {
      assertTrue(Pattern.compile(told, Pattern.MULTILINE).matcher(trained.err()).find(), trained::toString);
    }

    Path run = folder.resolve("runs").resolve("acme");
    for (String rank : List.of("rank-0-of-2", "rank-1-of-2")) {
      assertTrue(Files.isRegularFile(run.resolve("checkpoints").resolve("step-4").resolve(rank)), rank);
    }
    assertEquals(List.of("step", "2", "4"), firstColumn(run.resolve("acme-monitor.csv")));

    assertEquals(0.005, Metrics.of(run).of("gradNorm").getFirst().get("learningRate").asDouble(), "half of the warm-up");
    assertTrue(Files.isRegularFile(backup.resolve("acme").resolve("step-4.zip")));

    // From the store, in another layout: one rank loads the state that two ranks saved, the optimizer's too.
    Files.move(run.resolve("checkpoints"), folder.resolve("lost"));
    Program.Result resumed =
        succeed(
            inThisProcess(
                "train", run.resolve("config.json").toString(), "--resume", "--set", runs(), "--set", "training.steps=6",
                "--set", "mesh.data=1", "--set", "samples={everySteps: 6, prompts: [All], tokens: 5}"));
    assertEquals(1, Metrics.of(run).of("sample").size(), resumed::toString);
    assertTrue(Files.readString(run.resolve("model/tokenizer_config.json")).contains("AcmeTokenizerTokenizer"));

    assertEquals(List.of("step", "2", "4", "6"), firstColumn(run.resolve("acme-monitor.csv")));

    Program.Result summary = succeed(inThisProcess("acme-command", run.toString(), "--best", "2"));
    assertTrue(summary.out().startsWith("6 steps, loss "), summary::toString);
    assertEquals(3, summary.out().lines().count(), summary::toString);
    requireContinues(run, text);
  }

  /** A run that begins with the exported weights has a loss near the last one. */
  private void requireContinues(Path run, Path text) throws Exception {
    Program.Result imported =
        succeed(
            inThisProcess(
                tiny("train", runs(), "run.name=imported", "training.steps=1", "model.architecture=null", "model.from=" + run.resolve("model"),
                    "model.format=acme-format", "data.source={name: acme-data, options: {file: " + text + "}}")));
    double last = Metrics.of(run).losses().getLast();
    assertEquals(last, Metrics.of(folder.resolve("runs/imported")).losses().getFirst(), 0.2, imported::toString);
  }

  @Test
  void familyTrainsResumesExportsAndSwapsPrecision() throws Exception {
    Path runs = folder.resolve("runs");
    List<Double> alone = trainAloneAndIn(List.of("mesh.tensor=2", "mesh.pipeline=2", "mesh.schedule=acme-schedule"));
    resumeInAnotherLayout(alone);

    Path exported = runs.resolve("layout/model");
    String[] imported =
        tiny(
            "train", "run.name=imported", "model.architecture=null", "model.from=" + exported, "model.format=huggingface",
            "training.sequenceTokens=16", "training.globalBatch=4", "training.steps=100000");
    try (Steered run = new Steered(new Program(program.home(), folder), List.of(), runs.resolve("imported"), List.of(imported))) {
      run.awaitSteps(2);
      assertTrue(run.ask("swap precision bf16").matches("(?s).*precision: \"fp32\" to .*\"bf16\".*"));
      run.awaitSteps(2);
      Program.Result ended = run.stop();
      assertEquals(130, ended.exitCode(), ended::toString);
      double first = run.metrics().losses().getFirst();
      assertTrue(first < alone.getFirst() - 0.1, () -> first + ": the first batch again, with the weights that were trained on it");
    }
  }

  @Test
  @Tag("matrix")
  void modelFamilyTrainsInALayoutOfThreeAxes() throws Exception {
    trainAloneAndIn(List.of("mesh.tensor=2", "mesh.pipeline=2", "mesh.data=2"));
  }

  /** Plans the layout, and trains on one rank and in it, with the same losses. Returns these. */
  private List<Double> trainAloneAndIn(List<String> layout) throws Exception {
    succeed(inThisProcess(family("plan", "plan", layout)));

    succeed(inThisProcess(family("train", "alone", List.of(), "training.steps=" + RESUMED_STEPS)));
    succeed(
        inThisProcess(
            family(
                "train", "layout", layout, "training.steps=" + STEPS, "model.export=true", "checkpoint.strategy=dcp-async",
                "checkpoint.atEnd=true")));
    Path runs = folder.resolve("runs");
    List<Double> alone = Metrics.of(runs.resolve("alone")).losses();
    List<Double> split = Metrics.of(runs.resolve("layout")).losses();
    assertEquals(STEPS, split.size());
    for (int step = 0; step < STEPS; step++) {
      assertEquals(alone.get(step), split.get(step), 1e-5, "loss of step " + (step + 1));
    }
    return alone;
  }

  /** From the checkpoint of the run {@code layout}; the steps after it have the losses of one rank that never stopped. */
  private void resumeInAnotherLayout(List<Double> alone) throws Exception {
    Path run = folder.resolve("runs/layout");
    succeed(
        inThisProcess(
            "train", run.resolve("config.json").toString(), "--resume", "--set", "training.steps=" + RESUMED_STEPS, "--set",
            "mesh.tensorParallel=acme-tensor-parallel", "--set", "mesh.pipeline=1", "--set", "mesh.context=2", "--set",
            "mesh.contextParallel=acme-context-parallel"));
    List<Double> losses = Metrics.of(run).losses();
    assertEquals(RESUMED_STEPS, losses.size());
    for (int step = STEPS; step < RESUMED_STEPS; step++) {
      assertEquals(alone.get(step), losses.get(step), 1e-5, "loss of step " + (step + 1) + ", after the resume");
    }
  }

  /** Its blocks and one kind of layer are its own; what it computes is tested in the project. */
  @Test
  void familyWithLayersOfItsOwnTrainsInLayoutsThatItsLayersSupport() throws Exception {
    String model = "model.from=" + OLMO2_SOURCES.resolve("test/resources/golden/olmo2-tied-bf16/model").toAbsolutePath();
    Function<List<String>, String[]> olmo2 =
        mesh ->
            tiny("train", mesh, runs(), "model.architecture=null", "model.format=huggingface", model, "data.source.options.vocabulary=63", "training.steps=2");
    Program.Result rejected = inThisProcess(olmo2.apply(List.of("mesh.tensor=3")));
    assertEquals(78, rejected.exitCode(), rejected::toString);
    String reason = "mesh.tensor is 3, but no provider splits layer model.layers.0.self_attn.q_norm.weight of kind Olmo2RowNorm";
    assertTrue(rejected.err().contains(reason), rejected::toString);

    Program.Result trained = succeed(inThisProcess(olmo2.apply(List.of("mesh.pipeline=2", "mesh.data=2"))));
    assertTrue(trained.out().contains("parity check passed"), trained::toString);
  }

  private String runs() {
    return "run.directory=" + folder.resolve("runs");
  }

  /** A command for a tiny model of the family, with two or more microbatches for each data rank. */
  private String[] family(String command, String run, List<String> mesh, String... more) {
    List<String> assignments = new ArrayList<>(List.of(
        runs(), "run.name=" + run, "training.sequenceTokens=16", "training.globalBatch=4", "model.format=huggingface",
        "model.architecture={name: acme-model, options: {vocabSize: 256, hiddenSize: 32, intermediateSize: 48,"
            + " numHiddenLayers: 2, numAttentionHeads: 4, numKeyValueHeads: 2, maxPositionEmbeddings: 64}}"));
    assignments.addAll(mesh);
    return tiny(command, assignments, more);
  }

  private static String[] tiny(String command, String... assignments) {
    return tiny(command, List.of(), assignments);
  }

  private static String[] inMinimalProfile(String... arguments) {
    return Stream.concat(Stream.of("--profile", "minimal"), Stream.of(arguments)).toArray(String[]::new);
  }

  /** A command for a training of {@link TinyTraining} with these assignments too. */
  private static String[] tiny(String command, List<String> assignments, String... more) {
    List<String> arguments = TinyTraining.arguments(VOCABULARY, Stream.concat(assignments.stream(), Stream.of(more)).toList());
    arguments.set(0, command);
    return arguments.toArray(String[]::new);
  }

  @Test
  void aProjectIsNotWrittenOverAnother() throws Exception {
    Program.Result again = pluginNew(hirundo, name("data"), "data", shared.resolve(name("data")));

    assertEquals(73, again.exitCode(), again::toString);
    assertTrue(again.err().contains("hirundo: " + shared.resolve(name("data")) + " exists and is not empty"), again::toString);
  }

  @Test
  void rejectsInvalidNames() throws Exception {
    Program.Result rejected = pluginNew(hirundo, "No", "data", folder.resolve("No"));

    assertEquals(2, rejected.exitCode(), rejected::toString);
    assertTrue(rejected.err().contains("hirundo: NAME must be lowercase letters"), rejected::toString);
    assertFalse(Files.exists(folder.resolve("No")));
  }

  private static String name(String kind) {
    return "acme-" + kind;
  }

  private static Path jar(String kind) {
    return shared.resolve(name(kind)).resolve("target").resolve(name(kind) + ".jar");
  }

  private static List<String> firstColumn(Path csv) throws IOException {
    List<String> column = new ArrayList<>();
    try (Stream<String> lines = Files.lines(csv)) {
      lines.forEach(line -> column.add(line.split(",")[0]));
    }
    return column;
  }
}
