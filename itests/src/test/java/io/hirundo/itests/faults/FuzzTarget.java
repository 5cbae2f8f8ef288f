package io.hirundo.itests.faults;

import io.hirundo.itests.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What Jazzer calls with inputs that it makes up, guided by the branches that they reach: {@code tools/fuzz READER SECONDS}. An input
 * is a finding where a user could not work with what the program says of it, as {@link Verdict} has it, or where it says nothing in
 * time. System property {@code hirundo.fuzz}: the reader, one of {@link FuzzReaders} or {@link FuzzedMethods}; {@code hirundo.fuzz.corpus}: the
 * folder in which it finds what to begin with.
 */
public final class FuzzTarget {
  private static InProcess hirundo;
  private static Specimen reader;
  private static FuzzedMethods.Call method;
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
    Path corpus = Path.of(System.getProperty("hirundo.fuzz.corpus"));
    var methods = new FuzzedMethods(hirundo, originals);
    if (methods.calls().containsKey(name)) {
      method = methods.calls().get(name);
      reader = FuzzReaders.ofMethod(name);
      Files.write(corpus.resolve("good"), method.good());
      return;
    }
    reader =
        FuzzReaders.ofFiles(originals).stream()
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
    envelope.edit(
        good,
        part -> {
          Files.write(corpus.resolve("good"), part);
          return part;
        });
  }

  /** Called for each input. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    if (method != null) {
      Verdict.check(reader, folder, input, method.run().apply(input));
      return;
    }
    Path place = folder.resolve("case");
    Files.write(place.resolve(reader.file()), envelope.edit(good, part -> input));
    Optional<Program.Result> result = hirundo.run(InProcess.LIMIT, reader.commandIn(place));
    Verdict.check(reader, place, input, result.orElseThrow(() -> new AssertionError("no end within " + InProcess.LIMIT)));
    for (String ending : List.of("bin", "idx", "json", "sums", "html")) {
      Files.deleteIfExists(place.resolve("out." + ending));
    }
  }
}
