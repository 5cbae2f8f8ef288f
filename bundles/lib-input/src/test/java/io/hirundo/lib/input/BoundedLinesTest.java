package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class BoundedLinesTest {
    @Test
    void onlyANewlineEndsALine() throws IOException {
        assertEquals(List.of("a\r", "", "b\u0000c", "last"), read("a\r\n\nb\u0000c\nlast"));
        assertEquals(List.of("a"), read("a\n"));
        assertEquals(List.of(), read(""));
    }

    @Test
    void aLongerLineIsReportedAndTheNextIsRead() throws IOException {
        assertEquals(
                List.of("12345678", "too long", "b", "too long"), read("12345678\n123456789\nb\n" + "x".repeat(100)));
    }

    /** As a sparse file: nobody can wait for its end. */
    @Test
    void endsWhereNoLineEnds() throws IOException {
        List<String> lines = new ArrayList<>();
        var hole = new InputStream() {
            long count;

            @Override
            public int read() {
                return count++ == 1 ? '\n' : 0;
            }

            @Override
            public int read(byte[] into, int at, int length) {
                Arrays.fill(into, at, at + length, (byte) 0);
                into[at] = (byte) (count == 0 ? 'x' : 0);
                into[at + 1] = (byte) (count == 0 ? '\n' : 0);
                count += length;
                return length;
            }
        };
        assertFalse(BoundedLines.read(
                hole, 8, line -> lines.add(new String(line, StandardCharsets.UTF_8)), () -> lines.add("too long")));
        assertEquals(List.of("x", "too long"), lines);
        assertTrue(hole.count < BoundedLines.MAX_SKIPPED_BYTES + (1 << 20), "read " + hole.count);
    }

    @Test
    void readsLinesAcrossBuffers() throws IOException {
        String text = "1234567\n".repeat(50_000);
        assertEquals(Collections.nCopies(50_000, "1234567"), read(text));
        assertEquals(Collections.nCopies(50_000, "1234567"), read(text.substring(0, text.length() - 1)));
    }

    private static List<String> read(String text) throws IOException {
        List<String> lines = new ArrayList<>();
        BoundedLines.read(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                8,
                line -> lines.add(new String(line, StandardCharsets.UTF_8)),
                () -> lines.add("too long"));
        return lines;
    }
}
