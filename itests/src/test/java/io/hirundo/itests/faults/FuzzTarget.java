package io.hirundo.itests.faults;

import io.hirundo.itests.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What Jazzer calls with inputs that it makes up, guided by the branches that they reach: {@code tools/fuzz READER SECONDS}. An input
 * is a finding where a user could not work with what the program says of it, as {@link Verdict} has it, or where it says nothing in
 * time. System property {@code hirundo.fuzz}: the reader, one of {@link #readers}; {@code hirundo.fuzz.corpus}: the
 * folder in which it finds what to begin with.
 */
public final class FuzzTarget {
  private static InProcess hirundo;
  private static Specimen reader;
  private static Path folder;
  private static JsonFaults.Envelope envelope;
  private static byte[] good;

  private FuzzTarget() {}

  /** Called once. */
  public static void fuzzerInitialize() throws Exception {
    folder = Files.createTempDirectory("hirundo-fuzz");
    hirundo = InProcess.start(Files.createDirectory(folder.resolve("process")));
    Originals originals = Originals.kept(Path.of("originals").toAbsolutePath(), hirundo);
    String name = System.getProperty("hirundo.fuzz");
    reader =
        readers(originals).stream()
            .filter(each -> each.reader().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no reader " + name));
    envelope =
        switch (name) {
          case "safetensors-header" -> ModelFaults.HEADER;
          case "manifest-body" -> CheckpointFaults.BODY;
          default -> JsonFaults.WHOLE_FILE;
        };
    Originals.copy(reader.original(), folder.resolve("case"));
    good = Files.readAllBytes(folder.resolve("case").resolve(reader.file()));
    Path corpus = Path.of(System.getProperty("hirundo.fuzz.corpus"));
    envelope.edit(
        good,
        part -> {
          Files.write(corpus.resolve("good"), part);
          return part;
        });
  }

  /** Called for each input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    Path place = folder.resolve("case");
    Files.write(place.resolve(reader.file()), envelope.edit(good, part -> input));
    Optional<Program.Result> result = hirundo.run(InProcess.LIMIT, reader.commandIn(place));
    Verdict.check(reader, place, result.orElseThrow(() -> new AssertionError("no end within " + InProcess.LIMIT)));
    for (String ending : List.of("bin", "idx", "json")) {
      Files.deleteIfExists(place.resolve("out." + ending));
    }
  }

  private static List<Specimen> readers(Originals originals) {
    String data = originals.goodDataset().toString();
    return List.of(
        reader("config-json", originals.configuration(), "run.json", 78, "config", "show", "{}/run.json"),
        reader("config-yaml", originals.configuration(), "run.yaml", 78, "config", "show", "{}/run.yaml"),
        reader("schedule-csv", originals.configuration(), "schedule.csv", 78, "schedule", "--pp", "2", "--microbatches", "2", "--kind", "csv",
            "--option", "file={}/schedule.csv"),
        reader("idx", originals.dataset(), "dataset.idx", 65, "data", "inspect", "{}/dataset"),
        reader("description", originals.dataset(), "dataset.json", 65, "data", "inspect", "{}/dataset"),
        reader("jsonl", originals.text(), "lines.jsonl", 65, "data", "tokenize", "--tokenizer",
            originals.tokenizer().resolve("tokenizer").toString(), "--data", "{}/lines.jsonl", "--out", "{}/out"),
        reader("zip", originals.text(), "texts.zip", 65, "data", "tokenize", "--tokenizer",
            originals.tokenizer().resolve("tokenizer").toString(), "--data", "{}/texts.zip", "--out", "{}/out"),
        reader("tokenizer", originals.tokenizer(), "tokenizer/tokenizer.json", 65, "data", "tokenize", "--tokenizer", "{}/tokenizer", "--data",
            originals.text().resolve("one.txt").toString(), "--out", "{}/out"),
        reader("model-config", originals.model(), "config.json", 65, "eval", "--model", "{}", "--data", data),
        reader("safetensors", originals.model(), "model.safetensors", 65, "eval", "--model", "{}", "--data", data),
        reader("safetensors-header", originals.model(), "model.safetensors", 65, "eval", "--model", "{}", "--data", data),
        reader("safetensors-index", originals.shardedModel(), "model.safetensors.index.json", 65, "eval", "--model", "{}", "--data", data),
        reader("torch-metadata", originals.torchModel(), ".metadata", 65, "eval", "--model", "{}", "--format", "torch-dcp", "--data", data),
        reader("torch-distcp", originals.torchModel(), "__0_0.distcp", 65, "eval", "--model", "{}", "--format", "torch-dcp", "--data", data),
        reader("manifest", originals.run(), CheckpointFaults.NEWEST + "manifest.json", 74, "checkpoint", "show", "{}/" + CheckpointFaults.NEWEST),
        reader("manifest-body", originals.run(), CheckpointFaults.NEWEST + "manifest.json", 74, "checkpoint", "show",
            "{}/" + CheckpointFaults.NEWEST));
  }

  private static Specimen reader(String name, Path original, String file, int exitCode, String... command) {
    return new Specimen(name, "fuzzed", original, file, path -> {}, Set.of(0, exitCode), List.of(), false, List.of(command));
  }
}
