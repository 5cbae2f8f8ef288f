package io.hirundo.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.data.TextFormat.Layout;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TextFormatTest {
    @Test
    void fieldMeansJsonLines() {
        assertEquals(TextFormat.AUTO, TextFormat.of(null, null));
        assertEquals(TextFormat.AUTO, TextFormat.of("auto", null));
        assertEquals(new TextFormat(Layout.JSONL, "content"), TextFormat.of(null, "content"));
        assertEquals(new TextFormat(Layout.JSONL, "content"), TextFormat.of("auto", "content"));
        assertEquals("text", TextFormat.of("text", null).layoutName());
    }

    @Test
    void rejectsUnknownLayoutsAndFieldsOfPlainText() {
        for (String name : new String[] {"", "JSONL", "csv"}) {
            assertTrue(assertThrows(ConfigurationException.class, () -> TextFormat.of(name, null))
                    .getMessage()
                    .contains("allowed: auto, jsonl, text"));
        }
        assertTrue(assertThrows(ConfigurationException.class, () -> TextFormat.of("text", "content"))
                .getMessage()
                .startsWith("--text-field: content"));
    }

    /** A reader of an earlier API. */
    private record OneFormat() implements TextReader {
        @Override
        public Stream<TextDocument> read(Path source, TextSelection selection) {
            return Stream.of();
        }
    }

    @Test
    void readersOfOneFormatRejectOthers() {
        var reader = new OneFormat();
        assertSame(reader, reader.with(TextFormat.AUTO));
        assertThrows(ConfigurationException.class, () -> reader.with(TextFormat.of("jsonl", null)));
    }
}
