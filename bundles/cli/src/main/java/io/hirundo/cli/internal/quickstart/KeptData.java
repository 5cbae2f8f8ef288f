package io.hirundo.cli.internal.quickstart;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Where quickstart keeps what it made of a text, for the next time.
 *
 * @param folder of all of it
 * @param dataset prefix of the dataset's files
 * @param all whether the dataset holds all of the text
 */
record KeptData(Path folder, Path dataset, boolean all) {
  private static final String HOME = "hirundo.home";
  private static final String CACHE = "hirundo.cache";

  /** Tokens, as {@code conf/quickstart.yaml} has them. */
  static final String VOCABULARY = "8192";

  /** One folder for each text and vocabulary; a change of the text is seen by the commands that fill it. */
  static KeptData of(Path text, boolean all) {
    Path whole = text.toAbsolutePath().normalize();
    String id = UUID.nameUUIDFromBytes((whole + " " + VOCABULARY).getBytes(StandardCharsets.UTF_8)).toString().substring(0, 8);
    Path folder = Path.of(System.getProperty(CACHE)).resolve("quickstart").resolve(whole.getFileName() + "-" + id);
    return new KeptData(folder, folder.resolve(all ? "all" : "sample"), all);
  }

  Path tokenizer() {
    return folder.resolve("tokenizer");
  }

  /** The cleaned text, where quickstart cleans it. */
  Path text() {
    return folder.resolve("text.jsonl");
  }

  /** What the model is measured on. */
  Path heldOut() {
    return folder.resolve("held-out.jsonl");
  }

  /** The distribution's own folder. */
  static Path home() {
    return Path.of(System.getProperty(HOME));
  }

  List<String> tokenize(Path text) {
    var command =
        new ArrayList<>(
            List.of("data", "tokenize", "--tokenizer", tokenizer().toString(), "--data", text.toString(), "--out", dataset.toString()));
    command.addAll(all ? List.of("--all") : List.of("--max-bytes", "20MB"));
    command.add("--if-missing");
    return command;
  }
}
