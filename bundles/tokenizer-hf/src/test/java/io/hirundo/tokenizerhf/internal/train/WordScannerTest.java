package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.tokenizerhf.internal.SafeBorders;
import io.hirundo.tokenizerhf.internal.Texts;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordScannerTest {
    private static final Pattern WORDS = Pattern.compile(SafeBorders.WORDS_WITH_DIGIT_TRIPLES
            .replace("\\s", "\\p{IsWhite_Space}")
            .replace("\\S", "\\P{IsWhite_Space}"));

    static List<String> byPattern(String text) {
        return WORDS.matcher(text).results().map(MatchResult::group).toList();
    }

    private static List<String> scan(String text) {
        var words = new ArrayList<String>();
        WordScanner.scan(text, words::add);
        return words;
    }

    @Test
    void splitsLikeLlama3() {
        assertEquals(
                List.of(
                        "We", "'LL", " see", ":", " ", " ", "123", "45", " \n", " ", " x", "=y", ";\n\n", "日本語", "。",
                        "  "),
                scan("We'LL see:  12345 \n  x=y;\n\n日本語。  "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "'",
                "''",
                "'r",
                "'re",
                "a'",
                " ",
                "  ",
                "\n",
                " \n ",
                "\r\n\r",
                "\u3000\u3000x",
                " '",
                "'\n",
                "1234567",
                " 1",
                "\t!",
                "!\n\r\nx",
                "x\u0301y",
                "'ſ"
            })
    void agreesWithThePatternOnEdges(String text) {
        assertEquals(byPattern(text), scan(text));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void agreesWithThePattern(long seed) {
        String prose = Texts.prose(seed, 3000);
        assertEquals(byPattern(prose), scan(prose));
        String odd = Texts.odd(seed, 800);
        assertEquals(byPattern(odd), scan(odd));
    }
}
