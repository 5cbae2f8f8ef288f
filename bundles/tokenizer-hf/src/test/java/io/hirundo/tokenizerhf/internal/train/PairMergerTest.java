package io.hirundo.tokenizerhf.internal.train;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.tokenizerhf.internal.Texts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PairMergerTest {
    private static Vocabulary train(Map<String, Long> words, int tokens) {
        return new PairMerger(words).merge(tokens, count -> {}, () -> false);
    }

    /** Recounts everything for every merge. */
    private static Vocabulary slowly(Map<String, Long> words, int size) {
        var alphabet = new ByteAlphabet();
        var tokens = new ArrayList<>(List.of(alphabet.tokens()));
        var merges = new ArrayList<Merge>();
        var chains = new HashMap<List<Integer>, Long>();
        words.forEach((word, count) ->
                chains.merge(Arrays.stream(alphabet.ids(word)).boxed().toList(), count, Long::sum));
        while (tokens.size() < size) {
            var counts = new HashMap<List<Integer>, Long>();
            chains.forEach((chain, count) -> {
                for (int i = 0; i + 1 < chain.size(); i++) {
                    counts.merge(chain.subList(i, i + 2), count, Long::sum);
                }
            });
            var best = counts.entrySet().stream()
                    .filter(entry -> entry.getValue() >= 2)
                    .min(Comparator.<Map.Entry<List<Integer>, Long>>comparingLong(entry -> -entry.getValue())
                            .thenComparing(entry -> entry.getKey().get(0))
                            .thenComparing(entry -> entry.getKey().get(1)));
            if (best.isEmpty()) {
                break;
            }
            int left = best.get().getKey().get(0);
            int right = best.get().getKey().get(1);
            String token = tokens.get(left) + tokens.get(right);
            if (!tokens.contains(token)) {
                tokens.add(token);
            }
            var merge = new Merge(left, right, tokens.indexOf(token));
            merges.add(merge);
            var merged = new HashMap<List<Integer>, Long>();
            chains.forEach((chain, count) -> merged.merge(join(chain, merge), count, Long::sum));
            chains.clear();
            chains.putAll(merged);
        }
        long sample = chains.entrySet().stream()
                .mapToLong(e -> e.getKey().size() * e.getValue())
                .sum();
        return new Vocabulary(tokens, merges, sample);
    }

    static List<Integer> join(List<Integer> chain, Merge merge) {
        var joined = new ArrayList<Integer>();
        for (int i = 0; i < chain.size(); i++) {
            if (i + 1 < chain.size() && chain.get(i) == merge.left() && chain.get(i + 1) == merge.right()) {
                joined.add(merge.result());
                i++;
            } else {
                joined.add(chain.get(i));
            }
        }
        return joined;
    }

    /** Few letters and long words: overlaps and equal counts. */
    private static Map<String, Long> words(long seed) {
        var random = new SplittableRandom(seed);
        var words = new LinkedHashMap<String, Long>();
        for (int i = 0; i < 60; i++) {
            var word = new StringBuilder();
            int length = 1 + random.nextInt(20);
            for (int c = 0; c < length; c++) {
                word.append((char) ('a' + random.nextInt(1 + (int) seed % 3)));
            }
            words.merge(word.toString(), 1L + random.nextInt(4), Long::sum);
        }
        return words;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void matchesTheReferenceThatRecounts(long seed) {
        assertEquals(slowly(words(seed), 100_000), train(words(seed), 100_000));
    }

    @Test
    void matchesTheReferenceThatRecountsOnProse() {
        Map<String, Long> words;
        try (var counter = new WordCounter(2)) {
            counter.add(Texts.prose(5, 400));
            counter.add(Texts.odd(5, 60));
            words = counter.counts();
        }
        assertEquals(slowly(words, 420), train(words, 420));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9})
    void neverCreatesATokenTwice(long seed) {
        var vocabulary = train(words(seed), 100_000);
        assertEquals(vocabulary.tokens().size(), new HashSet<>(vocabulary.tokens()).size());
        assertEquals(256 + vocabulary.merges().size(), vocabulary.tokens().size());
    }

    @Test
    void mergesTheMostFrequentPairFirst() {
        var vocabulary = train(Map.of("low", 5L, "lower", 2L, "newest", 6L, "widest", 3L), 260);
        assertEquals(List.of("es", "est", "lo", "low"), vocabulary.tokens().subList(256, 260));
    }

    @Test
    void mergesRunsFromTheLeft() {
        var vocabulary = train(Map.of("aaaaa", 2L), 258);
        assertEquals(List.of("aa", "aaa"), vocabulary.tokens().subList(256, 258));
        assertEquals(4, vocabulary.sampleTokens());
    }

    @Test
    void endsWhenNoPairOccursTwice() {
        assertEquals(256, train(Map.of("abcdefg", 1L), 300).tokens().size());
        assertEquals(256 + 6, train(Map.of("abcdefg", 2L), 300).tokens().size());
        assertEquals(256, train(Map.of("abcdefg", 2L), 256).tokens().size());
    }

    @Test
    void isIndependentOfTheOrderOfWords() {
        var words = words(3);
        var reversed = new LinkedHashMap<String, Long>();
        new ArrayList<>(words.keySet()).reversed().forEach(word -> reversed.put(word, words.get(word)));
        assertEquals(train(words, 100_000), train(reversed, 100_000));
    }

    @Test
    void stopsOnRequest() {
        var merger = new PairMerger(Map.of(Texts.prose(1, 3000), 2L));
        assertEquals(
                256 + 32,
                merger.merge(100_000, count -> {}, () -> true).tokens().size());
    }
}
