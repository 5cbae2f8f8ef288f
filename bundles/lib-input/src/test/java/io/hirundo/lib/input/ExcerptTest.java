package io.hirundo.lib.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExcerptTest {
    @Test
    void keepsShortTexts() {
        assertEquals("model.layers.0.weight 日本", Excerpt.of("model.layers.0.weight 日本"));
        assertEquals("[2, 3]", Excerpt.of(List.of(2, 3)));
    }

    @Test
    void shortensLongTextsWithOmittedLength() {
        String excerpt = Excerpt.of("a".repeat(60) + "b".repeat(4_900) + "c".repeat(20));
        assertEquals("a".repeat(60) + "...(4,900 more characters)..." + "c".repeat(20), excerpt);
    }

    @Test
    void shortensLongListsWithLength() {
        assertEquals("[1, 1, 1, 1, 1, 1, 1, 1, ...] (100,000 in all)", Excerpt.of(Collections.nCopies(100_000, 1)));
    }

    @Test
    void escapesControlCharacters() {
        assertEquals("a\\u001b[31mb\\u000ac\\u202ed", Excerpt.of("a\u001b[31mb\nc\u202ed"));
    }

    @Test
    void countsEscapedCharactersAtDisplayedLength() {
        assertEquals(
                "\\u0000".repeat(10) + "...(87 more characters)..." + "\\u0000".repeat(3),
                Excerpt.of("\u0000".repeat(100)));
        assertEquals("\\u0000".repeat(18), Excerpt.of("\u0000".repeat(18)));
        String bird = "\ud83d\udc26";
        assertEquals(
                "x" + bird.repeat(29) + "...(62 more characters)..." + bird.repeat(10),
                Excerpt.of("x" + bird.repeat(70)));
    }

    @Test
    void boundsLengthOfLists() {
        assertTrue(Excerpt.of(Collections.nCopies(50, "x".repeat(5_000))).length() < 1_200);
    }

    @Test
    void shortensMessagesToTheirLimit() {
        assertEquals("abc", Excerpt.of("abc", 9));
        assertEquals("aaaaaa...(11 more characters)...aaa", Excerpt.of("a".repeat(20), 9));
    }
}
