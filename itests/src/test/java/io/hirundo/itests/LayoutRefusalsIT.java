package io.hirundo.itests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Layouts that a model or a batch cannot be split into: every command says so in one line, with the setting and what is
 * allowed, before it opens a device or reads data. {@code examples/synthetic.yaml} has 2 layers, 4 query heads, 2 key/value
 * heads, 160 inner channels, 256 tokens in its vocabulary and 64 in a sequence, and 8 sequences in a batch, 4 at a time.
 */
class LayoutRefusalsIT {
  private static final Path SYNTHETIC = Profiles.distro().resolve("../../../examples/synthetic.yaml").normalize();

  /** No data is behind it: a command that looks for some fails with another code and line. */
  private static final List<String> NO_DATA =
      List.of("data.source={name: indexed, options: {blend: [{prefix: no-such-dataset, weight: 1}]}}", "run.name=refused");

  @TempDir private Path folder;

  static Stream<Arguments> refusals() {
    return Stream.of(
        refusal("query heads", "mesh.tensor is 8, but must divide the 4 query heads|allowed are 1, 2, 4", "mesh.tensor=8"),
        refusal(
            "key/value heads",
            "mesh.tensor is 3, but must divide the 2 heads|k_proj|or be a multiple of them; allowed are 1, 2",
            "mesh.tensor=3",
            options(
                "vocabSize: 255, hiddenSize: 48, intermediateSize: 159, numHiddenLayers: 2, numAttentionHeads: 6,"
                    + " numKeyValueHeads: 2, maxPositionEmbeddings: 64")),
        refusal(
            "inner channels",
            "mesh.tensor is 4, but must divide the 162 rows of|gate_proj|allowed are 1, 2, 3, 6",
            "mesh.tensor=4", "model.architecture.options.intermediateSize=162"),
        refusal(
            "vocabulary",
            "mesh.tensor is 2, but must divide the 255 tokens of the vocabulary|allowed are 1, 3, 5",
            "mesh.tensor=2", "model.architecture.options.vocabSize=255"),
        refusal(
            "hidden",
            "model.architecture|hiddenSize is 60, but must be a multiple of 8 (twice numAttentionHeads)",
            "model.architecture.options.hiddenSize=60"),
        refusal(
            "tokens of a rank",
            "mesh.tensor is 4, but with sequenceParallel it must divide the 62 tokens|allowed are 1, 2, 31, 62|sequenceParallel",
            "mesh.tensor=4", "training.sequenceTokens=62"),
        refusal(
            "pieces of a sequence",
            "training.sequenceTokens: 64|mesh.context 3; allowed: multiples of 6",
            "mesh.context=3"),
        refusal("layers", "mesh.pipeline: 5 stages|4 blocks|up to 4", "mesh.pipeline=5"),
        refusal("layers by hand", "mesh.stageLayers: [1, 2]|2 layers", "mesh.pipeline=2", "mesh.stageLayers=[1,2]"),
        refusal(
            "microbatches",
            "mesh.schedule: |1 microbatches|at least 2|training.globalBatch 8 over training.microBatch 8",
            "mesh.pipeline=2", "mesh.schedule=interleaved", "training.microBatch=8"),
        refusal("batch", "training.globalBatch: 8|multiples of 12|mesh.data 3", "mesh.data=3"),
        refusal("order of axes", "mesh.order: [tensor, data]|every axis once", "mesh.order=[tensor,data]"),
        refusal("too many ranks", "mesh: its axes multiply to 4000000000 ranks", "mesh.tensor=2000000000", "mesh.context=2"));
  }

  /** @param words of the message, between bars */
  private static Arguments refusal(String what, String words, String... assignments) {
    return Arguments.argumentSet(what, List.of(words.split("\\|")), List.of(assignments));
  }

  private static String options(String options) {
    return "model.architecture.options={" + options + "}";
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void everyCommandRefuses(List<String> words, List<String> assignments) throws Exception {
    for (List<String> command : List.of(List.of("config", "show", "--check"), List.of("plan"), List.of("train"))) {
      var arguments = new ArrayList<>(command);
      arguments.add(SYNTHETIC.toString());
      Stream.concat(NO_DATA.stream(), assignments.stream()).forEach(one -> arguments.addAll(List.of("--set", one)));
      assertRefused(Program.installed(folder).run(arguments.toArray(String[]::new)), words);
    }
    assertFalse(Files.exists(folder.resolve("runs").resolve("refused")));
  }

  @Test
  void quickstartRefusesBeforeItReadsText() throws Exception {
    quickstartRefuses(List.of("mesh.tensor is 4, but must divide the 6 heads", "allowed are 1, 2, 3, 6"), "--tp", "4");
    quickstartRefuses(List.of("mesh.schedule", "zb-w", "zb-v"), "--pp", "2", "--schedule", "zb-w");
  }

  private void quickstartRefuses(List<String> words, String... split) throws Exception {
    Path cache = folder.resolve("cache");
    Path text = Files.writeString(folder.resolve("text.txt"), "Swallows fly over the river.\n".repeat(100));
    var arguments = new ArrayList<>(List.of("quickstart", "--data", text.toString()));
    arguments.addAll(List.of(split));
    Program.Result result =
        Program.installed(folder).start(Map.of("HIRUNDO_CACHE", cache.toString()), arguments.toArray(String[]::new)).await();

    assertRefused(result, words);
    assertEquals("", result.out());
    assertFalse(Files.exists(cache), "a tokenizer was trained for nothing");
  }

  private static void assertRefused(Program.Result result, List<String> words) {
    assertEquals(78, result.exitCode(), result::toString);
    List<String> said = result.err().lines().filter(line -> line.startsWith("hirundo: ")).toList();
    assertEquals(1, said.size(), result::toString);
    words.forEach(word -> assertTrue(said.getFirst().contains(word), () -> word + " is not in " + result));
    assertFalse(result.err().contains("\tat "), () -> "a stack trace: " + result);
  }
}
