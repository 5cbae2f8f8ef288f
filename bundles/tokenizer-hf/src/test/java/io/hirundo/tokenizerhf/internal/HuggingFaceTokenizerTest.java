package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.StorageException;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HuggingFaceTokenizerTest {
    private static final String PLAIN =
            ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false";

    @TempDir
    private static Path made;

    @TempDir
    private Path folder;

    @BeforeAll
    static void train() throws IOException {
        Trained.tokenizer(made, Texts.prose(1, 3000), 500);
    }

    @Test
    void acceptsAFolderOrAFile() {
        String text = Texts.prose(2, 300);
        try (Tokenizer ofFolder = TestTokenizers.open(made);
                Tokenizer ofFile = TestTokenizers.open(made.resolve("tokenizer.json"))) {
            assertArrayEquals(ofFolder.encode(text), ofFile.encode(text));
            assertEquals(500, ofFile.vocabularySize());
        }
    }

    @Test
    void encodesEmptyTextToNoTokens() {
        try (Tokenizer tokenizer = TestTokenizers.open(made)) {
            assertArrayEquals(new int[0], tokenizer.encode(""));
            assertEquals("", tokenizer.decode(new int[0]));
        }
    }

    @Test
    void doesNotTruncateLongTexts() {
        try (Tokenizer tokenizer = TestTokenizers.open(made)) {
            String text = Texts.prose(3, 250_000);
            assertTrue(text.length() > 1_100_000);
            assertEquals(text, tokenizer.decode(tokenizer.encode(text)));
            // No border at all to cut at.
            String line = "word ".repeat(220_000);
            assertEquals(line, tokenizer.decode(tokenizer.encode(line)));
        }
    }

    @Test
    void ignoresTruncationAndPaddingOfTheFile() throws IOException {
        String json = Files.readString(made.resolve("tokenizer.json"))
                .replace(
                        "\"truncation\" : null",
                        "\"truncation\": {\"direction\": \"Right\", \"max_length\": 5, \"strategy\": \"LongestFirst\", \"stride\": 0}")
                .replace(
                        "\"padding\" : null",
                        "\"padding\": {\"strategy\": {\"Fixed\": 9000}, \"direction\": \"Right\", \"pad_to_multiple_of\": null, \"pad_id\": 0,"
                                + " \"pad_type_id\": 0, \"pad_token\": \"!\"}");
        assertTrue(json.contains("9000") && json.contains("max_length"));
        String text = Texts.prose(4, 1000);
        try (Tokenizer tokenizer = TestTokenizers.open(made);
                Tokenizer cutting = TestTokenizers.open(Files.writeString(folder.resolve("t.json"), json))) {
            assertArrayEquals(tokenizer.encode(text), cutting.encode(text));
        }
    }

    @Test
    void loneSurrogatesBecomeReplacementCharacters() {
        try (Tokenizer tokenizer = TestTokenizers.open(made)) {
            String text = "a\ud800b\udc00\ud83d\ude00c\ud83d";
            assertEquals("a\ufffdb\ufffd\ud83d\ude00c\ufffd", tokenizer.decode(tokenizer.encode(text)));
        }
    }

    @Test
    void decodesPartialCharactersAndUnknownIds() {
        try (Tokenizer tokenizer = TestTokenizers.open(made)) {
            int[] smile = tokenizer.encode("\u4e9c");
            assertTrue(smile.length > 1, "the character is one token: choose another");
            assertEquals(
                    "\ufffd",
                    tokenizer.decode(IntStream.of(smile).limit(smile.length - 1).toArray()));
            assertEquals("", tokenizer.decode(new int[] {500, 1_000_000, Integer.MAX_VALUE, -1}));
        }
    }

    @Test
    void isThreadSafe() throws Exception {
        String[] texts =
                IntStream.range(0, 60).mapToObj(seed -> Texts.odd(seed, 120)).toArray(String[]::new);
        try (Tokenizer tokenizer = TestTokenizers.open(made);
                var threads = Executors.newFixedThreadPool(8)) {
            var results = new Future<?>[texts.length];
            for (int i = 0; i < texts.length; i++) {
                String text = texts[i];
                results[i] = threads.submit(() -> tokenizer.encode(text));
            }
            for (int i = 0; i < texts.length; i++) {
                assertArrayEquals(tokenizer.encode(texts[i]), (int[]) results[i].get());
            }
        }
    }

    @Test
    void rejectsUseAfterClose() {
        Tokenizer tokenizer = TestTokenizers.open(made);
        tokenizer.encode("x");
        tokenizer.close();
        tokenizer.close();
        assertThrows(IllegalStateException.class, () -> tokenizer.encode("x"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                // tokens; tokenizer_config.json; special_tokens_map.json; begin; end
                "<s> </s>;;; 1; 2",
                "</s> <|endoftext|>;;; ; 2",
                "<|eot_id|> <|end_of_text|>; {\"eos_token\": \"<|eot_id|>\"};; ; 1",
                "<bos> <eos>; {\"bos_token\": \"<bos>\", \"eos_token\": {\"content\": \"<eos>\"}};; 1; 2",
                "<bos> <eos>; {\"bos_token\": null}; {\"bos_token\": {\"content\": \"<bos>\"}, \"eos_token\": \"<eos>\"}; 1; 2",
                "<bos> <eos>;;; 1; 2",
                "<begin> <end>;;; ; ",
            })
    void findsWhatBeginsAndEndsATextByNameOrConfiguration(
            String tokens, String configuration, String specialTokens, Integer begin, Integer end) throws IOException {
        String[] names = tokens.split(" ");
        Files.writeString(folder.resolve("tokenizer.json"), """
        {"added_tokens": [{"id": 1, "content": "%s", "special": true%s}, {"id": 2, "content": "%s", "special": true%s}],
         "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}
        """.formatted(names[0], PLAIN, names[1], PLAIN));
        if (configuration != null) {
            Files.writeString(folder.resolve("tokenizer_config.json"), configuration);
        }
        if (specialTokens != null) {
            Files.writeString(folder.resolve("special_tokens_map.json"), specialTokens);
        }
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            assertEquals(begin == null ? OptionalInt.empty() : OptionalInt.of(begin), tokenizer.beginOfText());
            assertEquals(end == null ? OptionalInt.empty() : OptionalInt.of(end), tokenizer.endOfText());
            assertEquals(3, tokenizer.vocabularySize());
        }
    }

    @Test
    void readsUnigramModelsAndLargestIdsAnywhere() throws IOException {
        Path file = Files.writeString(folder.resolve("u.json"), """
        {"version": "1.0", "model": {"vocab": [["<unk>", 0.0], ["</s>", 0.0], ["a", -1.5], ["ab", -1.25]], "unk_id": 0, "type": "Unigram"},
         "added_tokens": []}
        """);
        try (Tokenizer tokenizer = TestTokenizers.open(file)) {
            assertEquals(4, tokenizer.vocabularySize());
            assertEquals(OptionalInt.of(1), tokenizer.endOfText());
            assertArrayEquals(new int[] {3, 2}, tokenizer.encode("aba"));
        }
    }

    @Test
    void savesTheFilesThatWereReadEvenIfTheyChanged() throws IOException {
        Trained.tokenizer(folder, Texts.prose(9, 500), 400);
        byte[] json = Files.readAllBytes(folder.resolve("tokenizer.json"));
        byte[] config = Files.readAllBytes(folder.resolve("tokenizer_config.json"));
        Files.writeString(folder.resolve("unrelated.txt"), "x");
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            tokenizer.encode("x");
            Files.writeString(folder.resolve("tokenizer.json"), "{}");
            Path model = folder.resolve("run").resolve("model");
            tokenizer.save(model);
            assertArrayEquals(json, Files.readAllBytes(model.resolve("tokenizer.json")));
            assertArrayEquals(config, Files.readAllBytes(model.resolve("tokenizer_config.json")));
            try (var files = Files.list(model)) {
                assertEquals(2, files.count());
            }
        }
    }

    @Test
    void saveNamesTheFileThatCannotBeWritten() throws IOException {
        Path occupied = Files.writeString(folder.resolve("occupied"), "x");
        try (Tokenizer tokenizer = TestTokenizers.open(made)) {
            var e = assertThrows(StorageException.class, () -> tokenizer.save(occupied));
            assertTrue(e.getMessage().contains(occupied.toString()), e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "text",
                "{}",
                "{\"model\": 3}",
                "{\"model\": {\"vocab\": {\"a\": \"b\"}}}",
                "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"x y\"]}}",
                "{\"model\": {\"type\": \"??\", \"vocab\": {\"a\": 0}}}"
            })
    void rejectsDamagedFilesInOneLine(String content) throws IOException {
        Path file = Files.writeString(folder.resolve("tokenizer.json"), content);
        assertRejected(folder, file.toString());
    }

    @Test
    void rejectsATruncatedFile() throws IOException {
        String json = Files.readString(made.resolve("tokenizer.json"));
        Path file = Files.writeString(folder.resolve("t.json"), json.substring(0, json.length() / 2));
        assertRejected(file, "line");
    }

    @Test
    void rejectsMissingFilesWithTheRemedy() throws IOException {
        assertRejected(folder.resolve("none"), "there is no such file");
        assertRejected(folder, "tokenizer.json");
        Files.writeString(folder.resolve("tokenizer.model"), "x");
        assertRejected(folder, "save_pretrained");
        Path ofRun = Files.createDirectories(folder.resolve("run/model"));
        Files.createFile(ofRun.resolve("tokenizer.json"));
        assertRejected(ofRun.getParent(), "is a run directory; give the model in it: " + ofRun);
        Files.writeString(folder.resolve("tokenizer.json"), Files.readString(made.resolve("tokenizer.json")));
        Files.writeString(folder.resolve("tokenizer_config.json"), "{");
        assertRejected(folder, "tokenizer_config.json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[] | it is a list (allowed: an object)",
                "null | it is null (allowed: an object)",
                "12 | it is 12 (allowed: an object)",
                "'' | it is empty (allowed: an object)",
                "{\"bos_token\": 12} | field bos_token is 12 (allowed: text, null, or",
                "{\"eos_token\": {\"content\": null}} | field eos_token is an object (allowed:"
            })
    void rejectsAConfigurationThatIsNone(String json, String message) throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), Files.readString(made.resolve("tokenizer.json")));
        for (String name : List.of("tokenizer_config.json", "special_tokens_map.json")) {
            Path file = Files.writeString(folder.resolve(name), json);
            assertRejected(folder, "tokenizer " + file + ": " + message);
            Files.delete(file);
            Path nothing = Files.createSymbolicLink(file, folder.resolve("nothing"));
            assertRejected(folder, nothing + ": no such file");
            Files.delete(nothing);
        }
    }

    @Test
    void rejectsATextThatTheTokenizerCannotEncode() throws IOException {
        Path file = Files.writeString(
                folder.resolve("w.json"),
                "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"a\": 0}, \"unk_token\": \"[UNK]\"}}");
        try (Tokenizer tokenizer = TestTokenizers.open(file)) {
            assertArrayEquals(new int[] {0}, tokenizer.encode("a"));
            var e = assertThrows(DataException.class, () -> tokenizer.encode("b"));
            assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
        }
    }

    @Test
    void requiresTheOptionFile() {
        var factory = new HuggingFaceFactory(TestTokenizers.LIBRARY, new CtrlC());
        assertThrows(ConfigurationException.class, () -> factory.create(new HuggingFaceOptions()));
        assertThrows(ConfigurationException.class, () -> factory.create(new HuggingFaceOptions("a\0b")));
    }

    private static void assertRejected(Path source, String part) {
        try (Tokenizer tokenizer = TestTokenizers.open(source)) {
            var e = assertThrows(DataException.class, tokenizer::vocabularySize);
            assertTrue(e.getMessage().contains(part), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        }
    }
}
