package io.hirundo.tokenizerhf.internal.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Byte-pair encoding: repeatedly merges the most frequent pair of adjacent tokens. Updates counts incrementally, so that a merge costs as
 * much as its pair has occurrences. Pairs with equal counts are merged in the order of their ids, so that the same words and counts always
 * give the same tokens.
 */
final class PairMerger {
    /** A pair that occurs once would make a token for one position. */
    private static final long LEAST_COUNT = 2;

    private static final int MERGES_BETWEEN_LOOKS = 32;

    private final Corpus corpus;
    private final Pairs pairs = new Pairs();
    private final PairQueue queue = new PairQueue(pairs);
    private final List<String> tokens;
    private final List<Merge> merges = new ArrayList<>();

    private int[] touched = new int[1 << 10];
    private int touchedCount;
    /** For each pair, the last merge that updated it, counted from 1. */
    private int[] touchedBy = new int[1 << 10];

    PairMerger(Map<String, Long> words) {
        var alphabet = new ByteAlphabet();
        corpus = new Corpus(words, alphabet);
        tokens = new ArrayList<>(List.of(alphabet.tokens()));
        for (int place = 0; place < corpus.places(); place++) {
            if (corpus.next(place) != Corpus.NONE) {
                int pair = pairs.number(corpus.token(place), corpus.token(corpus.next(place)));
                pairs.add(pair, corpus.count(place));
                pairs.addPlace(pair, place);
            }
        }
        for (int pair = 0; pair < pairs.size(); pair++) {
            queue.update(pair);
        }
    }

    /**
     * Merges until the vocabulary has the given size, or no pair occurs twice.
     *
     * @param onProgress receives the number of tokens from time to time
     * @param stop ends the training early
     */
    Vocabulary merge(int vocabularySize, IntConsumer onProgress, BooleanSupplier stop) {
        while (tokens.size() < vocabularySize && !queue.isEmpty() && pairs.count(queue.peek()) >= LEAST_COUNT) {
            mergeNext(queue.peek());
            if (merges.size() % MERGES_BETWEEN_LOOKS == 0) {
                onProgress.accept(tokens.size());
                if (stop.getAsBoolean()) {
                    break;
                }
            }
        }
        return new Vocabulary(tokens, merges, corpus.sampleTokens());
    }

    private void mergeNext(int pair) {
        int left = pairs.left(pair);
        int right = pairs.right(pair);
        // No two tokens have the same spelling: inside a token, merges follow the same order as in a word of the same
        // letters, so equal
        // spelling
        // results from the same merge.
        int result = tokens.size();
        tokens.add(tokens.get(left) + tokens.get(right));
        merges.add(new Merge(left, right, result));
        touchedCount = 0;
        for (int place : pairs.takePlaces(pair)) {
            // A recorded position may be stale; of overlapping occurrences (aaa), the left one consumes the right one's
            // token.
            if (corpus.stands(left, right, place)) {
                join(place, result);
            }
        }
        pairs.add(pair, -pairs.count(pair));
        queue.update(pair);
        for (int i = 0; i < touchedCount; i++) {
            queue.update(touched[i]);
        }
    }

    private void join(int place, int result) {
        long count = corpus.count(place);
        int before = corpus.previous(place);
        int gone = corpus.next(place);
        int after = corpus.next(gone);
        if (before != Corpus.NONE) {
            change(corpus.token(before), corpus.token(place), -count);
            change(corpus.token(before), result, count, before);
        }
        if (after != Corpus.NONE) {
            change(corpus.token(gone), corpus.token(after), -count);
            change(result, corpus.token(after), count, place);
        }
        corpus.join(place, result);
    }

    private void change(int left, int right, long more, int place) {
        pairs.addPlace(change(left, right, more), place);
    }

    private int change(int left, int right, long more) {
        int pair = pairs.number(left, right);
        pairs.add(pair, more);
        if (pair >= touchedBy.length) {
            touchedBy = Arrays.copyOf(touchedBy, Math.max(2 * touchedBy.length, pair + 1));
        }
        if (touchedBy[pair] != merges.size()) {
            touchedBy[pair] = merges.size();
            if (touchedCount == touched.length) {
                touched = Arrays.copyOf(touched, 2 * touchedCount);
            }
            touched[touchedCount++] = pair;
        }
        return pair;
    }
}
