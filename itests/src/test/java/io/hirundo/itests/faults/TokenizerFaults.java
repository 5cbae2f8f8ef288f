package io.hirundo.itests.faults;

import static io.hirundo.itests.damage.JsonFaults.LONG_NAME;
import static io.hirundo.itests.damage.JsonFaults.WHOLE_FILE;

import io.hirundo.itests.damage.FileFaults;
import io.hirundo.itests.damage.JsonFaults;

/** {@code tokenizer.json} and the files next to it. A native library reads them, so faults that may crash it get their own process. */
final class TokenizerFaults {
    private static final int DATA = 65;

    private TokenizerFaults() {}

    static void add(Zoo zoo, Originals originals) {
        String[] command = {
            "data",
            "tokenize",
            "--tokenizer",
            "{}/tokenizer",
            "--data",
            originals.goodText().toString(),
            "--out",
            "{}/out"
        };
        var file = zoo.reader("tokenizer.json", originals.tokenizer(), "tokenizer/tokenizer.json", DATA, command);
        file.says("tokenizer").add("absent", FileFaults.absent());
        file.addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(FileFaults.truncated(10, 50, 95));
        file.addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        file.addAll(JsonFaults.values(
                WHOLE_FILE, "/model", "null", "[]", "\"BPE\"", "{}", "{\"type\": \"Unheard\"}", "{\"type\": null}"));
        file.addAll(JsonFaults.values(
                WHOLE_FILE,
                "/model/vocab",
                "null",
                "[]",
                "{\"a\": -1}",
                "{\"a\": 4294967296}",
                "{\"a\": \"b\"}",
                "{\"a\": null}"));
        file.addAll(JsonFaults.values(
                WHOLE_FILE, "/model/merges", "null", "12", "[\"nobody knows\"]", "[12]", "[[\"a\"]]"));
        file.addAll(
                JsonFaults.values(
                        WHOLE_FILE,
                        "/added_tokens",
                        "12",
                        "[12]",
                        "[{\"id\": -1, \"content\": \"x\"}]",
                        "[{\"content\": null}]",
                        "[{\"id\": 4000, \"content\": \"x\", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, \"special\": true}]"));
        file.addAll(JsonFaults.values(WHOLE_FILE, "/pre_tokenizer", "12", "{\"type\": \"" + LONG_NAME + "\"}"));
        file.orGood().addAll(JsonFaults.values(WHOLE_FILE, "/added_tokens", "null"));
        var alone = file.alone();
        alone.orGood()
                .addAll(JsonFaults.values(
                        WHOLE_FILE,
                        "/pre_tokenizer",
                        split("\"(a+)+$\""),
                        split("\"[\""),
                        split("\"" + LONG_NAME + "{1000}\"")));
        alone.add(
                "20,000 parentheses",
                JsonFaults.values(
                                WHOLE_FILE,
                                "/pre_tokenizer",
                                split("\"" + "(".repeat(20_000) + ")".repeat(20_000) + "\""))
                        .values()
                        .iterator()
                        .next());
        var companion = zoo.reader(
                "tokenizer_config.json", originals.tokenizer(), "tokenizer/tokenizer_config.json", DATA, command);
        companion
                .orGood()
                .addAll(FileFaults.irregular())
                .addAll(FileFaults.endless())
                .addAll(FileFaults.foreign())
                .addAll(JsonFaults.otherThanAnObject(WHOLE_FILE));
        companion.addAll(JsonFaults.values(WHOLE_FILE, "/bos_token", "12", "[]", "{\"content\": 12}"));
        companion.addAll(JsonFaults.values(WHOLE_FILE, "/eos_token", "\"" + LONG_NAME + "\"", "\"unheard\""));
        companion.addAll(JsonFaults.values(
                WHOLE_FILE,
                "/added_tokens_decoder",
                "{\"0\": {\"content\": \"<|end_of_text|>\"}}",
                "{\"1\": 12}",
                "{\"x\": {}}"));
        companion.addAll(JsonFaults.more(WHOLE_FILE, "add_bos_token", "\"yes\""));
    }

    private static String split(String expression) {
        return "{\"type\": \"Split\", \"pattern\": {\"Regex\": " + expression
                + "}, \"behavior\": \"Isolated\", \"invert\": false}";
    }
}
