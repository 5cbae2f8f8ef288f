package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.data.Tokenizer;
import io.hirundo.tokenizerhf.internal.TestTokenizers;
import io.hirundo.tokenizerhf.internal.Texts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library reads what training means: the ids are those of the merges, applied to each word in their order. */
class LibraryAgreementTest {
    private static final int SIZE = 700;
    private static final String TEXT = Texts.prose(11, 6000) + Texts.odd(12, 500);

    @TempDir
    private static Path folder;

    private static Tokenizer tokenizer;
    private static Vocabulary vocabulary;
    private static Map<List<Integer>, Integer> ranks;

    @BeforeAll
    static void train() throws IOException {
        vocabulary = Trained.vocabulary(TEXT, SIZE - 2, 2);
        tokenizer = TestTokenizers.open(Trained.tokenizer(folder, TEXT, SIZE));
        ranks = new HashMap<>();
        for (int i = 0; i < vocabulary.merges().size(); i++) {
            ranks.put(
                    List.of(
                            vocabulary.merges().get(i).left(),
                            vocabulary.merges().get(i).right()),
                    i);
        }
    }

    @AfterAll
    static void close() {
        tokenizer.close();
    }

    private static int[] encode(String text) {
        var alphabet = new ByteAlphabet();
        var ids = new ArrayList<Integer>();
        for (String word : WordScannerTest.byPattern(text)) {
            List<Integer> chain =
                    new ArrayList<>(Arrays.stream(alphabet.ids(word)).boxed().toList());
            for (int first = first(chain); first < Integer.MAX_VALUE; first = first(chain)) {
                // The leftmost alone: a pair that it makes may come before the next of its kind.
                Merge merge = vocabulary.merges().get(first);
                int place = Collections.indexOfSubList(chain, List.of(merge.left(), merge.right()));
                chain.set(place, merge.result());
                chain.remove(place + 1);
            }
            ids.addAll(chain);
        }
        return ids.stream().mapToInt(Integer::intValue).toArray();
    }

    private static int first(List<Integer> chain) {
        int first = Integer.MAX_VALUE;
        for (int i = 0; i + 1 < chain.size(); i++) {
            first = Math.min(first, ranks.getOrDefault(chain.subList(i, i + 2), Integer.MAX_VALUE));
        }
        return first;
    }

    @Test
    void hasTheRequestedSize() {
        assertEquals(SIZE, tokenizer.vocabularySize());
        assertEquals(SIZE - 2, tokenizer.beginOfText().orElseThrow());
        assertEquals(SIZE - 1, tokenizer.endOfText().orElseThrow());
    }

    @Test
    void sampleHasTheTokenCountThatTrainingReported() {
        assertEquals(vocabulary.sampleTokens(), tokenizer.encode(TEXT).length);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26, 27, 28})
    void idsMatchTheMerges(long seed) {
        String prose = Texts.prose(seed, 1500);
        assertArrayEquals(encode(prose), tokenizer.encode(prose));
        String odd = Texts.odd(seed, 150);
        assertArrayEquals(encode(odd), tokenizer.encode(odd));
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34, 35, 36, 37, 38, 39, 40})
    void decodingReturnsTheText(long seed) {
        String text = Texts.odd(seed, 600);
        assertEquals(text, tokenizer.decode(tokenizer.encode(text)));
    }

    @Test
    void roundTripsEveryCharacter() {
        var all = new StringBuilder();
        for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x3000 ? 1 : 37) {
            if (point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE) {
                all.appendCodePoint(point);
            }
        }
        assertEquals(all.toString(), tokenizer.decode(tokenizer.encode(all.toString())));
    }
}
