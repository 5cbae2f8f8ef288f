package io.hirundo.tokenizerhf.internal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.hirundo.DataException;
import io.hirundo.data.Tokenizer;
import io.hirundo.testkit.CtrlC;
import io.hirundo.tokenizerhf.internal.train.Trained;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without the checks most of these end the JVM that runs them. */
@Timeout(300)
class HostileTokenizerTest {
    @TempDir
    private Path folder;

    private Path words(String preTokenizer) throws IOException {
        return Files.writeString(folder.resolve("tokenizer.json"), """
        {"version": "1.0", "pre_tokenizer": %s, "model": {"type": "WordLevel", "vocab": {"?": 0, "a": 1}, "unk_token": "?"}}
        """.formatted(preTokenizer));
    }

    private Path split(String expression) throws IOException {
        var pattern = Map.of(
                "type", "Split", "pattern", Map.of("Regex", expression), "behavior", "Isolated", "invert", false);
        return words(new ObjectMapper().writeValueAsString(pattern));
    }

    private static DataException assertRejected(Path file, String part) {
        try (Tokenizer tokenizer = TestTokenizers.open(file)) {
            var e = assertThrows(DataException.class, () -> tokenizer.encode("a".repeat(4000) + "b"));
            assertTrue(e.getMessage().contains(part), e.getMessage());
            assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
            assertTrue(e.getMessage().length() < 800, e.getMessage());
            return e;
        }
    }

    @Test
    void rejectsCatastrophicExpression() throws IOException {
        assertRejected(split("(a+)+$"), "pre_tokenizer: the expression '(a+)+$' has repetitions");
    }

    @Test
    void rejectsDeepParentheses() throws IOException {
        assertRejected(split("(".repeat(20_000) + "a" + ")".repeat(20_000)), "40,001 characters");
        assertRejected(split("(".repeat(5000) + "a" + ")".repeat(5000)), "deep");
    }

    @ParameterizedTest
    @ValueSource(strings = {"normalizer", "decoder"})
    void checksExpressionsOfOtherSections(String section) throws IOException {
        Path file = Files.writeString(folder.resolve("t.json"), """
        {"%s": {"type": "Sequence", "normalizers": [{"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": "x"}]},
         "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}
        """.formatted(section));
        assertRejected(file, section);
    }

    /** Which of the two the library takes is its affair: a safe one could hide the other. */
    @Test
    void rejectsDuplicateKeys() throws IOException {
        Path file = words(
                "{\"type\": \"Split\", \"pattern\": {\"Regex\": \"a\"}, \"pattern\": {\"Regex\": \"(a+)+$\"}, \"behavior\": \"Isolated\"}");
        assertRejected(file, "the key 'pattern' occurs twice");
    }

    @Test
    void rejectsDeepJson() throws IOException {
        assertRejected(words("[".repeat(5000) + "]".repeat(5000)), "it is nested too deeply");
        assertRejected(words("{\"a\":".repeat(120) + "1" + "}".repeat(120)), "it is nested too deeply");
    }

    /** The library cuts {@code ##b} at byte 2 of a merge's second token, wherever that is: it panics within a character, or beyond the end. */
    @ParameterizedTest
    @ValueSource(strings = {"b", "\u00e9"})
    void rejectsFileThatCrashesTheLibrary(String second) throws IOException {
        Path file = Files.writeString(
                folder.resolve("tokenizer.json"), """
        {"version": "1.0", "model": {"type": "BPE", "continuing_subword_prefix": "%s", "vocab": {"a": 0, "%s": 1, "ab": 2},
         "merges": ["a %s"]}}
        """.formatted(second.equals("b") ? "###" : "#", second, second));
        assertRejected(file, "the tokenizers' library crashes on it (");
    }

    private Path replacing(String character, int times) throws IOException {
        String replacement = "{\"type\": \"Replace\", \"pattern\": {\"String\": \"%s\"}, \"content\": \"%s\"}"
                .formatted(character, character.repeat(64));
        return Files.writeString(folder.resolve("tokenizer.json"), """
        {"version": "1.0", "normalizer": {"type": "Sequence", "normalizers": [%s]}, "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"}}
        """.formatted(
                        String.join(", ", Collections.nCopies(times, replacement))));
    }

    /** 5,000 letters of the trial become 340 TB: the kernel bounds what the library may allocate. */
    @Test
    void rejectsFileThatTakesAllMemory() throws IOException {
        assertRejected(replacing("a", 6), "needs more than 1,024 MB of memory");
    }

    /** The trial has the letter once, which becomes 262,144. */
    @Test
    void rejectsTextThatTheNormalizerMakesHuge() throws IOException {
        try (Tokenizer tokenizer = TestTokenizers.open(replacing("q", 3))) {
            assertEquals(3, tokenizer.encode("no such letter").length);
            var e = assertThrows(DataException.class, () -> tokenizer.encode("q".repeat(600)));
            assertTrue(
                    e.getMessage().contains("its normalizer makes a text of 600 characters longer than"),
                    e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "16777216", "2147483647", "99999999999", "1e400"})
    void rejectsIdsOutOfRange(String id) throws IOException {
        Path file = Files.writeString(
                folder.resolve("tokenizer.json"),
                "{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"?\": 0, \"a\": " + id
                        + "}, \"unk_token\": \"?\"}}");
        assertRejected(file, "tokenizer.json");
    }

    @Test
    void rejectsNamedPipesAndDevicesBeforeOpening() throws Exception {
        Path pipe = folder.resolve("tokenizer.json");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertRejected(folder, "named pipe");
        assertRejected(Path.of("/dev/zero"), "/dev/zero is a device");
        Files.delete(pipe);
        words("null");
        Path companion = folder.resolve("tokenizer_config.json");
        assertEquals(
                0, new ProcessBuilder("mkfifo", companion.toString()).start().waitFor());
        assertRejected(folder, "tokenizer_config.json is a named pipe");
    }

    @Test
    void rejectsHugeFiles() throws IOException {
        Path file = folder.resolve("tokenizer.json");
        try (var sparse = new java.io.RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(300L << 20);
        }
        assertRejected(file, "is larger than");
    }

    /** Llama 3's expression for line breaks tries each of the spaces before none: 10,000,000 failures end the process. */
    @Test
    void rejectsTextWithMillionsOfSpaces() throws IOException {
        Trained.tokenizer(folder, Texts.prose(1, 500), 400);
        try (Tokenizer tokenizer = TestTokenizers.open(folder)) {
            var e = assertThrows(DataException.class, () -> tokenizer.encode(" ".repeat(11_000_000) + "x"));
            assertTrue(e.getMessage().contains("in a row"), e.getMessage());
        }
    }

    @Test
    void encodesLongTextsWithoutLongRuns() throws IOException {
        try (Tokenizer tokenizer = TestTokenizers.open(split("\\s*[\\r\\n]+|\\s+|\\S+"))) {
            assertEquals(1_000_000, tokenizer.encode("a  ".repeat(500_000)).length);
        }
    }

    @Test
    void triesFilesOnce() throws IOException {
        Path cache = folder.resolve("cache");
        Trained.tokenizer(folder, Texts.prose(1, 500), 400);
        var library = new NativeLibrary(cache);
        int[] ids;
        try (Tokenizer tokenizer =
                new HuggingFaceTokenizer(library, new HuggingFaceOptions(folder.toString()), new CtrlC())) {
            ids = tokenizer.encode("swallow");
        }
        Path marks = cache.resolve("tokenizers");
        try (var files = Files.walk(marks)) {
            assertEquals(1, files.filter(Files::isRegularFile).count());
        }
        // A second trial could not put a mark here.
        try (var files = Files.walk(marks)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                Files.delete(each);
                Files.createDirectory(each);
            }
        }
        try (Tokenizer tokenizer =
                new HuggingFaceTokenizer(library, new HuggingFaceOptions(folder.toString()), new CtrlC())) {
            assertArrayEquals(ids, tokenizer.encode("swallow"));
        }
    }
}
