package io.hirundo.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpecialTokensTest {
    private static final SpecialTokens TOKENS =
            SpecialTokens.of(Map.of("<s>", 1, "<s", 2, "</s>", 3, "<s><s>", 4, "|", 5, "", 6));

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a<s>b; 1-4:1",
                "<s; 0-2:2",
                "<s <s>; 0-2:2 3-6:1",
                "<s><s><s>; 0-6:4 6-9:1",
                "x|y||; 1-2:5 3-4:5 4-5:5",
                "</s></s; 0-4:3",
                "<; ''",
                "none; ''",
                "<<s>>; 1-4:1"
            })
    void findsTheLongestNamesFromLeftToRight(String text, String expected) {
        assertEquals(
                expected,
                TOKENS.in(text).stream()
                        .map(match -> match.begin() + "-" + match.end() + ":" + match.id())
                        .collect(Collectors.joining(" ")));
        assertEquals(!expected.isEmpty(), TOKENS.occurIn(text));
    }

    @Test
    void findsEachOfManyNames() {
        var many = SpecialTokens.of(
                IntStream.range(0, 5_000).boxed().collect(Collectors.toMap(id -> "<unused" + id + ">", id -> id)));
        for (int id = 0; id < 5_000; id += 7) {
            int expected = id;
            assertEquals(
                    List.of(expected),
                    many.in("a <unused" + id + "> b <unused5000>").stream()
                            .map(SpecialTokens.Match::id)
                            .toList());
        }
        assertFalse(many.occurIn("<unused <unused1 unused1>"));
    }

    @Test
    void hasIdsByName() {
        assertEquals(OptionalInt.of(3), TOKENS.id("</s>"));
        assertEquals(OptionalInt.empty(), TOKENS.id("s"));
        assertEquals(5, TOKENS.ids().size());
        assertFalse(SpecialTokens.NONE.occurIn("<s>"));
        assertTrue(SpecialTokens.of(Map.of("", 1)).ids().isEmpty());
    }

    /** A tokenizer of a third party, which knows nothing of texts with special tokens. */
    private record Letters(SpecialTokens specialTokens, OptionalInt beginOfText, OptionalInt endOfText)
            implements Tokenizer {
        @Override
        public int vocabularySize() {
            return 300;
        }

        @Override
        public int[] encode(String text) {
            return text.chars().toArray();
        }

        @Override
        public String decode(int[] ids) {
            throw new AssertionError("unexpected call");
        }

        @Override
        public void save(Path directory) {}

        @Override
        public void close() {}
    }

    @Test
    void aTokenizerWithNamesEncodesThemOnRequestOnly() {
        var letters = new Letters(SpecialTokens.of(Map.of("<s>", 256)), OptionalInt.empty(), OptionalInt.empty());
        assertArrayEquals(new int[] {'a', '<', 's', '>', 'b'}, letters.encode("a<s>b"));
        assertArrayEquals(new int[] {'a', 256, 'b', 256}, letters.encodeWithSpecialTokens("a<s>b<s>"));
        assertArrayEquals(new int[0], letters.encodeWithSpecialTokens(""));
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 1 7 8 2", "2, 2, 7 8 2", ", 2, 7 8 2", "1, , 1 7 8", ", , 7 8"})
    void aSharedBeginAndEndIsWrittenOnce(Integer begin, Integer end, String expected) {
        var frame = DocumentFrame.of(new Letters(SpecialTokens.NONE, id(begin), id(end)));
        assertEquals(
                expected,
                IntStream.of(frame.around(new int[] {7, 8}))
                        .mapToObj(String::valueOf)
                        .collect(Collectors.joining(" ")));
    }

    private static OptionalInt id(Integer id) {
        return id == null ? OptionalInt.empty() : OptionalInt.of(id);
    }
}
