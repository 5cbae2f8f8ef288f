package io.hirundo.lib.configuration.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DocumentsTest {
    @TempDir
    Path folder;

    private static String failure(String text, boolean isYaml) {
        return assertThrows(ConfigurationException.class, () -> Documents.parse("c", text, isYaml))
                .getMessage();
    }

    @Test
    void keepsTypeAndOrderOfValues() {
        Map<String, Object> json = Documents.parse(
                "c", "{\"z\":1,\"a\":[1.50,true,null,\"t\",99999999999999999999],\"m\":{\"k\":-2}}", false);
        assertEquals(List.of("z", "a", "m"), List.copyOf(json.keySet()));
        assertEquals(
                Arrays.asList(new BigDecimal("1.50"), true, null, "t", new BigDecimal("99999999999999999999")),
                json.get("a"));
        assertEquals(Map.of("k", -2L), json.get("m"));
    }

    @Test
    void readsYamlLikeJson() {
        String yaml = "z: 1\na: [1.50, true, null, t, 99999999999999999999]\nm:\n  k: -2\n";
        assertEquals(
                Documents.parse(
                        "c", "{\"z\":1,\"a\":[1.50,true,null,\"t\",99999999999999999999],\"m\":{\"k\":-2}}", false),
                Documents.parse("c", yaml, true));
    }

    @Test
    void keepsYamlWordsAsText() {
        assertEquals(
                Map.of("a", "no", "b", "on", "c", "2026-01-01", "d", "1f1b", "e", "1:30", "f", "12"),
                Documents.parse("c", "{a: no, b: on, c: 2026-01-01, d: 1f1b, e: 1:30, f: '12'}", true));
    }

    @Test
    void rejectsAmbiguousNumbers() {
        assertEquals(
                Map.of(
                        "a",
                        5L,
                        "b",
                        new BigDecimal("0.5"),
                        "c",
                        new BigDecimal("1"),
                        "d",
                        new BigDecimal("1E+3"),
                        "e",
                        0L),
                Documents.parse("c", "{a: +5, b: .5, c: 1., d: 1e3, e: -0}", true));
        for (String number : List.of("010", "1_000", "0x10", "0b11", "00.5", "1_0.5_0", ".inf")) {
            assertEquals(
                    "c, line 1, column 4: " + number
                            + " is not a plain number; allowed: digits without leading zeros, underscores or prefixes",
                    failure("a: " + number, true));
        }
        assertEquals("c, line 1, column 4: 1e99999999999 is out of range", failure("a: 1e99999999999", true));
        assertEquals("c, line 1, column 7: 1e99999999999 is out of range", failure("{\"a\": 1e99999999999}", false));
    }

    @Test
    void skipsAByteOrderMark() {
        assertEquals(Map.of("a", 1L), Documents.parse("c", "\uFEFF{\"a\":1}", false));
        assertEquals(Map.of("a", 1L), Documents.parse("c", "\uFEFFa: 1", true));
    }

    @Test
    void expandsAliases() {
        assertEquals(
                Map.of("a", List.of(1L, 2L), "b", List.of(1L, 2L), "c", Map.of("d", "x"), "e", Map.of("d", "x")),
                Documents.parse("c", "a: &list [1, 2]\nb: *list\nc: &t {d: x}\ne: *t\n", true));
    }

    @Test
    void boundsTheExpansionOfAliases() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            String alias = "*a" + (i - 1);
            bomb.append(
                    "a" + i + ": &a" + i + " [" + String.join(", ", java.util.Collections.nCopies(10, alias)) + "]\n");
        }
        assertEquals("c, line 5, column 45: there are more than 100000 values", failure(bomb.toString(), true));
    }

    @Test
    void rejectsUnknownAndUnfinishedAnchors() {
        String message = ": alias *b names no list or object before it; allowed: those, other values written out";
        assertEquals("c, line 1, column 4" + message, failure("a: *b", true));
        assertEquals("c, line 1, column 8" + message, failure("a: &b [*b]", true));
        assertEquals("c, line 1, column 14" + message, failure("{a: &b 1, c: *b}", true));
    }

    @Test
    void rejectsTags() {
        assertEquals(
                "c, line 1, column 4: the tag tag:yaml.org,2002:javax.script.ScriptEngineManager is not allowed; allowed: values without tags",
                failure("a: !!javax.script.ScriptEngineManager [x]", true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "{`a`: 1,@ `a`: 2} | 2, column 5: the key 'a' occurs twice",
                "{`a`: 1,@} | 2, column 1: unexpected character '}'",
                "{`a`: 1 | 1, column 8: it ends too early",
                "{`a`: x} | 1, column 7: 'x' is not a JSON value",
                "{`a`: `x@y`} | 1, column 9: unexpected control character",
                "{`a`: `\\q`} | 1, column 9: unknown escape sequence",
                "{`a`: 01} | 1, column 8: a number has too many digits or is malformed",
                "{} {} | 1, column 4: there is something after the end of the document",
            })
    void explainsSyntaxErrorsOfJson(String text, String message) {
        assertEquals("c, line " + message.replace('`', '"'), failure(lines(text), false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "a: 1@a: 2 | 2, column 2: the key 'a' occurs twice",
                "a: b: c | 1, column 5: a second `: ` on one line, or a key at a wrong indentation; put text that contains `: ` in quotes",
                "run:@~name: x | 2, column 1: a tab stands where indentation is expected; indent with spaces",
                "a: `abc | 1, column 8: a quoted text does not end; close the quotes",
                "a: {b: 1@ | 2, column 1: a list [...] or an object {...} does not end, or lacks a comma; close it",
                "a:@  b: 1@ c: 2 | 3, column 2: the indentation does not match the lines above, or text follows a closing quote;"
                        + " start the keys of one object in the same column",
                "a: %x | 1, column 4: a value cannot start with this character; put the text in quotes",
                "? [a, b]@: 1 | 1, column 4: a key is a list or an object; use text as a key",
                "a: `\\q` | 1, column 6: an unknown escape sequence in a text in double quotes; use single quotes, or write \\\\ for a"
                        + " backslash",
                "a: 1@---@b: 2 | 3, column 1: there is something after the end of the document",
            })
    void explainsSyntaxErrorsOfYaml(String text, String message) {
        assertEquals("c, line " + message.replace('`', '"'), failure(lines(text), true));
    }

    /** Replaces stand-ins for characters that a CSV source line cannot contain. */
    private static String lines(String text) {
        return text.replace('`', '"').replace('@', '\n').replace('~', '\t');
    }

    @Test
    void rejectsDeepNesting() {
        for (String deep : List.of("[".repeat(100_000), "{\"a\":".repeat(100_000))) {
            String json = failure("{\"a\": " + deep, false);
            assertTrue(json.endsWith(": objects and lists are nested more than 100 levels deep"), json);
        }
        for (String deep : List.of("[".repeat(100_000), "{a: ".repeat(100_000), "\n" + "- ".repeat(20_000))) {
            String yaml = failure("a: " + deep, true);
            assertTrue(yaml.endsWith(": objects and lists are nested more than 100 levels deep"), yaml);
        }
    }

    @Test
    void shortensLongKeysAndNumbers() {
        String key = "k".repeat(5_000);
        String twice = failure("{\"" + key + "\": 1, \"" + key + "\": 2}", false);
        assertTrue(twice.contains("...(4,920 more characters)...") && twice.length() < 300, twice);
        assertEquals(
                "c, line 1, column 5007: a number has more than 1000 digits",
                failure("{\"a\": " + "9".repeat(5_000) + "}", false));
    }

    @Test
    void rejectsDocumentsThatAreNotObjects() {
        String message = "c: is not an object; allowed: keys with values, run: {name: x} for instance";
        assertEquals(message, failure("", true));
        assertEquals(message, failure("", false));
        assertEquals(message, failure("[1]", false));
        assertEquals(message, failure("hello", true));
    }

    @Test
    void selectsTheFormatByExtension() throws Exception {
        Path yaml = Files.writeString(folder.resolve("c.YAML"), "a: ü");
        assertEquals(Map.of("a", "ü"), Documents.read(yaml));
        Path json = Files.writeString(folder.resolve("c.json"), "{\"a\":\"ü\"}");
        assertEquals(Map.of("a", "ü"), Documents.read(json));
    }

    @Test
    void namesUnreadableFiles() throws Exception {
        String missing =
                ": no such file; give an existing one (examples/ in Hirundo's sources has configurations, examples/synthetic.yaml to begin with)";
        assertRejected(folder.resolve("none.json"), missing);
        assertRejected(folder.resolve("none"), missing);
        assertRejected(folder, ": is a folder; give the configuration file in it");
        Path inRun = Files.writeString(folder.resolve("config.json"), "{}");
        assertRejected(folder, ": is a folder; give " + inRun);
        assertRejected(
                Files.writeString(folder.resolve("c.toml"), ""),
                ": cannot tell JSON from YAML; allowed: names that end in .json, .yaml or .yml");
        assertRejected(
                Files.write(folder.resolve("latin.json"), "{\"a\":\"ü\"}".getBytes(StandardCharsets.ISO_8859_1)),
                ", line 1: is not UTF-8 text; save the file as UTF-8");
        assertRejected(
                Files.write(folder.resolve("huge.json"), new byte[(3 << 20) + 1]),
                " is larger than 3,145,728 bytes, the limit for such a file; give a YAML or JSON file");
    }

    @Test
    @Timeout(60)
    void rejectsPipesAndDevicesBeforeOpeningThem() throws Exception {
        Path pipe = folder.resolve("pipe.yaml");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertRejected(pipe, " is a named pipe, not a regular file; give a YAML or JSON file");
        Path zeros = Files.createSymbolicLink(folder.resolve("zeros.json"), Path.of("/dev/zero"));
        assertRejected(zeros, " is a device, not a regular file; give a YAML or JSON file");
        Files.delete(zeros);
    }

    private static void assertRejected(Path file, String message) {
        assertEquals(
                file + message,
                assertThrows(ConfigurationException.class, () -> Documents.read(file))
                        .getMessage());
    }
}
