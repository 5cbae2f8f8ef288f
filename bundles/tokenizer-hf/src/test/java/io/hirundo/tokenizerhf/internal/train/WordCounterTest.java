package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.tokenizerhf.internal.Texts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WordCounterTest {
    // One of them longer than a batch and than a piece.
    private static final List<String> DOCUMENTS = IntStream.rangeClosed(1, 30)
            .mapToObj(seed -> Texts.prose(seed, seed == 7 ? 200_000 : 100 * seed))
            .toList();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void countsTheSameOnAnyNumberOfThreads(int threads) {
        var expected = new HashMap<String, Long>();
        DOCUMENTS.forEach(text -> WordScannerTest.byPattern(text).forEach(word -> expected.merge(word, 1L, Long::sum)));
        Map<String, Long> counts;
        try (var counter = new WordCounter(threads)) {
            DOCUMENTS.forEach(counter::add);
            counts = counter.counts();
        }
        assertEquals(expected, counts);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void trainsTheSameOnAnyNumberOfThreads(int threads) {
        String text = String.join("", DOCUMENTS);
        assertEquals(Trained.vocabulary(text, 500, 4), Trained.vocabulary(text, 500, threads));
    }
}
