package io.hirundo.dataloader.internal.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.TextDocument;
import io.hirundo.data.TextFormat;
import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.stop.Stop;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a file holds is found by its content, unless the user says it. */
class FileTextFormatTest {
    @TempDir
    private Path folder;

    private static List<String> texts(Path source, TextFormat format) {
        try (var documents =
                new FileTextReader(Texts.FORMAT, Stop.NEVER).with(format).read(source, TextSelection.ALL)) {
            return documents.map(TextDocument::text).toList();
        }
    }

    @Test
    void recognizesJsonLinesByContent() {
        List<String> expected = List.of("first", "second");
        for (String name : new String[] {"c.json", "lines", "a.txt", "b/a.txt", "b/c/part-00000"}) {
            Path file = Texts.write(folder.resolve(name), Texts.JSON_LINES);
            assertEquals(expected, Texts.texts(file), name);
            assertEquals(
                    expected,
                    Texts.texts(Texts.write(folder.resolve(name + ".gz"), Texts.gzip(Texts.JSON_LINES))),
                    name);
        }
        // Two of each, and an archive.
        assertEquals(20, Texts.texts(folder).size());
        byte[] bytes = Texts.JSON_LINES.getBytes(StandardCharsets.UTF_8);
        assertEquals(
                4,
                Texts.texts(Texts.write(folder.resolve("z.zip"), Texts.zip(Map.of("a.json", bytes, "b", bytes))))
                        .size());
    }

    @Test
    void rejectsJsonThatIsNotLines() {
        for (String json : new String[] {"[{\"text\": \"a\"}]", "{\n  \"text\": \"a\"\n}\n"}) {
            for (String name : new String[] {"x/a.json", "x/a.txt", "x/a"}) {
                Path file = Texts.write(folder.resolve(name), json);
                Texts.assertRejected(file, "is one JSON document, not JSON lines");
                Texts.assertRejected(file.getParent(), "is one JSON document, not JSON lines");
                Texts.assertRejected(Texts.write(folder.resolve(name + ".gz"), Texts.gzip(json)), "--format text");
                assertEquals(List.of(json), texts(file, TextFormat.of("text", null)));
            }
        }
        // Damaged lines must not become text because of that.
        Texts.assertRejected(
                Texts.write(folder.resolve("b.json.gz"), Texts.gzip("{\"text\": \"a\n" + Texts.JSON_LINES)),
                "b.json.gz@0 (line 1) is no JSON");
    }

    @Test
    void formatOverridesNamesAndContent() {
        Path lines = Texts.write(folder.resolve("a.jsonl"), Texts.JSON_LINES);
        assertEquals(List.of(Texts.JSON_LINES), texts(lines, TextFormat.of("text", null)));
        assertEquals(
                List.of("http://x"),
                texts(Texts.write(folder.resolve("b.bin"), "{\"url\": \"http://x\"}"), TextFormat.of("auto", "url")));
        Path text = Texts.write(folder.resolve("c.txt"), "The text\n");
        for (TextFormat format : List.of(TextFormat.of("jsonl", null), TextFormat.of(null, "text"))) {
            var failure = assertThrows(DataException.class, () -> texts(text, format));
            assertTrue(
                    failure.getMessage().contains("c.txt@0 (line 1) is no JSON: 'The' is not a JSON value"),
                    failure.getMessage());
        }
    }

    @Test
    void rejectsATextFieldThatOccursTwiceAndIgnoresOtherFields() {
        Texts.assertRejected(
                Texts.write(folder.resolve("a.jsonl"), "{\"text\": \"a\", \"text\": \"b\"}"),
                "(line 1) has its field text twice");
        assertEquals(
                List.of("a"),
                Texts.texts(Texts.write(folder.resolve("b.jsonl"), "{\"x\": 1, \"x\": 2, \"text\": \"a\"}")));
        Texts.assertRejected(
                Texts.write(folder.resolve("c.jsonl"), "{\"text\": NaN}"),
                "(line 1) holds no string in its field text");
    }
}
