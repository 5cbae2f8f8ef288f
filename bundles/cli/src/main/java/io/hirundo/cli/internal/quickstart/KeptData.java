package io.hirundo.cli.internal.quickstart;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The files that quickstart caches for one text: tokenizer, dataset, cleaned text.
 *
 * @param folder of the text's files
 * @param dataset prefix of the dataset's files
 * @param all whether the dataset holds the full text, not a sample
 */
record KeptData(Path folder, Path dataset, boolean all) {
    private static final String HOME = "hirundo.home";
    private static final String CACHE = "hirundo.cache";

    /** Vocabulary size, as in {@code conf/quickstart.yaml}. */
    static final String VOCABULARY = "8192";

    /** One folder for each text and vocabulary. The commands that write into it detect a changed text. */
    static KeptData of(Path text, boolean all) {
        Path whole = text.toAbsolutePath().normalize();
        String id = UUID.nameUUIDFromBytes((whole + " " + VOCABULARY).getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 8);
        Path folder = Path.of(System.getProperty(CACHE)).resolve("quickstart").resolve(whole.getFileName() + "-" + id);
        return new KeptData(folder, folder.resolve(all ? "all" : "sample"), all);
    }

    Path tokenizer() {
        return folder.resolve("tokenizer");
    }

    /** The cleaned text, if quickstart cleans it. */
    Path text() {
        return folder.resolve("text.jsonl");
    }

    /** The evaluation text. */
    Path heldOut() {
        return folder.resolve("held-out.jsonl");
    }

    /** The folder of the distribution. */
    static Path home() {
        return Path.of(System.getProperty(HOME));
    }

    List<String> tokenize(Path text) {
        var command = new ArrayList<>(List.of(
                "data",
                "tokenize",
                "--tokenizer",
                tokenizer().toString(),
                "--data",
                text.toString(),
                "--out",
                dataset.toString()));
        command.addAll(all ? List.of("--all") : List.of("--max-bytes", "20MB"));
        command.add("--if-missing");
        return command;
    }
}
