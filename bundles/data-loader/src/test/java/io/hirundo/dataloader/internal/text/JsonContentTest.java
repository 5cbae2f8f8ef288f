package io.hirundo.dataloader.internal.text;

import static io.hirundo.dataloader.internal.text.JsonContent.DOCUMENT;
import static io.hirundo.dataloader.internal.text.JsonContent.LINES;
import static io.hirundo.dataloader.internal.text.JsonContent.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class JsonContentTest {
    private static JsonContent of(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return JsonContent.of(Arrays.copyOf(bytes, Math.min(bytes.length, JsonContent.HEAD_BYTES)));
    }

    @Test
    void objectsOnLinesOfTheirOwnAreJsonLines() throws IOException {
        assertEquals(LINES, of("{\"text\": \"a\"}"));
        assertEquals(LINES, of("\uFEFF\n  {\"text\": \"a\", \"score\": NaN}\r\n\r\n{\"text\": \"b\"}\n"));
        assertEquals(LINES, of("{\"text\": \"a\"}{\"text\": \"b\"}\n"));
        // The reader rejects a damaged second line.
        assertEquals(LINES, of("{\"text\": \"a\"}\n{\"text\": \n"));
        assertEquals(LINES, of("{\"text\": \"" + "日本".repeat(40_000) + "\"}\n{\"text\": \"b\"}\n"));
    }

    @Test
    void firstLineMayBeCutAnywhereByTheEndOfTheHead() throws IOException {
        String line = "{\"a\": true, \"b\": -1.5e3, \"c\": \"日\\u65e5\", \"d\": null, \"text\": \"x\"}\n";
        for (int shift = 0; shift < line.length(); shift++) {
            String first = "{\"long\": \"" + "x".repeat(JsonContent.HEAD_BYTES - 12 - shift) + "\", \"rest\": "
                    + line.strip() + "}\n";
            assertEquals(LINES, of(first + line), "shift " + shift);
        }
    }

    @Test
    void arraysAndObjectsOfSeveralLinesAreDocuments() throws IOException {
        assertEquals(DOCUMENT, of("{\n  \"text\": \"a\"\n}\n"));
        assertEquals(DOCUMENT, of("{\n\"text\": \"a\"\n}\n{\n\"text\": \"b\"\n}\n"));
        assertEquals(DOCUMENT, of("[{\"text\": \"a\"}, {\"text\": \"b\"}]"));
        assertEquals(DOCUMENT, of("[\n{\"text\": \"" + "x".repeat(100_000) + "\"}\n]"));
    }

    @Test
    void textThatBeginsLikeJsonIsText() throws IOException {
        for (String text : new String[] {
            "",
            " \n",
            "text",
            "[1] A. Author, 2020\n[2] B. Author\n",
            "{\\bf bold} text",
            "{a, b} is a set",
            "{} is empty\n",
            "{\"a\": 1} was printed\n",
            "{\"a\": 1}\nwas printed\n",
            "[1]\n[2]\n",
            "\"quoted\"",
            "12",
            "\u0000{}"
        }) {
            assertEquals(NONE, of(text), text);
        }
    }
}
