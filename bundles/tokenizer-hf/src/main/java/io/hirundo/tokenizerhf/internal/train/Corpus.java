package io.hirundo.tokenizerhf.internal.train;

import io.hirundo.DataException;
import java.util.Arrays;
import java.util.Map;

/**
 * The distinct words of a sample in sequence, each a linked list of tokens that shrinks as pairs are merged. A position is a byte index; a
 * token is at the position of its first byte.
 */
final class Corpus {
    /** End of a list. */
    static final int NONE = -1;

    private final int[] tokens;
    private final int[] next;
    private final int[] previous;
    private final int[] wordOf;
    private final long[] countOfWord;

    Corpus(Map<String, Long> words, ByteAlphabet alphabet) {
        int[][] chains = new int[words.size()][];
        countOfWord = new long[words.size()];
        int word = 0;
        long bytes = 0;
        for (var entry : words.entrySet()) {
            chains[word] = alphabet.ids(entry.getKey());
            countOfWord[word] = entry.getValue();
            bytes += chains[word++].length;
        }
        if (bytes > Integer.MAX_VALUE - 8) {
            throw new DataException("the different words of the sample have " + bytes
                    + " bytes, more than can be trained on: " + "give a smaller --max-bytes");
        }
        tokens = new int[(int) bytes];
        next = new int[tokens.length];
        previous = new int[tokens.length];
        wordOf = new int[tokens.length];
        link(chains);
    }

    private void link(int[][] chains) {
        int begin = 0;
        for (int word = 0; word < chains.length; word++) {
            int end = begin + chains[word].length;
            System.arraycopy(chains[word], 0, tokens, begin, chains[word].length);
            Arrays.fill(wordOf, begin, end, word);
            for (int place = begin; place < end; place++) {
                previous[place] = place == begin ? NONE : place - 1;
                next[place] = place == end - 1 ? NONE : place + 1;
            }
            begin = end;
        }
    }

    int places() {
        return tokens.length;
    }

    int token(int place) {
        return tokens[place];
    }

    int next(int place) {
        return next[place];
    }

    int previous(int place) {
        return previous[place];
    }

    /** The count of the word at a position. */
    long count(int place) {
        return countOfWord[wordOf[place]];
    }

    boolean stands(int left, int right, int place) {
        return tokens[place] == left && next[place] != NONE && tokens[next[place]] == right;
    }

    /** Merges the token at a position with the next one. */
    void join(int place, int token) {
        int gone = next[place];
        tokens[place] = token;
        tokens[gone] = NONE;
        next[place] = next[gone];
        if (next[gone] != NONE) {
            previous[next[gone]] = place;
        }
    }

    /** Number of tokens in the full sample. */
    long sampleTokens() {
        long sum = 0;
        for (int place = 0; place < tokens.length; place++) {
            if (tokens[place] != NONE) {
                sum += count(place);
            }
        }
        return sum;
    }
}
