package io.hirundo.lib.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WrappedTextTest {
    @Test
    void breaksAtBlanksAndIndentsTheLinesThatFollow() {
        String words = "word ".repeat(40).strip();
        String wrapped = WrappedText.of(words, 4);
        assertTrue(wrapped.lines().allMatch(line -> line.length() <= WrappedText.COLUMNS), wrapped);
        assertTrue(wrapped.lines().skip(1).allMatch(line -> line.startsWith("    word")), wrapped);
        assertEquals(words, wrapped.replaceAll("\n +", " "));
        String full = "x".repeat(40) + " " + "y".repeat(39);
        assertEquals(full, WrappedText.of(full, 4));
        assertEquals(full + "\n" + "z", WrappedText.of(full + " z", 0));
    }

    @Test
    void leavesLongWordsComplete() {
        String path = "/" + "p".repeat(100);
        assertEquals(path, WrappedText.of(path, 2));
        assertEquals("in\n  " + path + "\n  and", WrappedText.of("in " + path + " and", 2));
        assertEquals("  " + path + "\n  and", WrappedText.of("  " + path + " and", 2));
    }
}
