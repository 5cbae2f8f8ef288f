package io.hirundo.dataloader.internal.command;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.Arrays;
import java.util.Locale;

/** Reads all of a dataset, checks it, and counts. */
final class TokenCensus {
    private static final int CHUNK_TOKENS = 1 << 16;

    private final IndexedDataset dataset;
    private final Stop stop;

    /** How many sequences have from 2^(i-1) to 2^i - 1 tokens; the first: none. */
    private final long[] byLength = new long[32];

    private int shortest = Integer.MAX_VALUE;
    private int longest;
    private int smallestToken = Integer.MAX_VALUE;
    private int largestToken = -1;

    private TokenCensus(IndexedDataset dataset, Stop stop) {
        this.dataset = dataset;
        this.stop = stop;
    }

    /**
     * Looks at every token.
     *
     * @throws DataException when a token is below 0, or differs from what the dataset's description says
     */
    static TokenCensus of(IndexedDataset dataset, Stop stop) {
        var census = new TokenCensus(dataset, stop);
        int[] chunk = new int[CHUNK_TOKENS];
        for (int sequence = 0; sequence < dataset.sequences(); sequence++) {
            if ((sequence & Stop.EVERY) == 0) {
                stop.check(dataset.files().tokens());
            }
            census.count(sequence, chunk);
        }
        dataset.description().ifPresent(description -> {
            if (description.largestToken() != census.largestToken) {
                throw new DataException(dataset.files().tokens() + " is damaged: its largest token is "
                        + census.largestToken + ", but it was written with " + description.largestToken()
                        + "; make the dataset again");
            }
        });
        return census;
    }

    private void count(int sequence, int[] chunk) {
        int length = dataset.length(sequence);
        shortest = Math.min(shortest, length);
        longest = Math.max(longest, length);
        byLength[32 - Integer.numberOfLeadingZeros(length)]++;
        for (int offset = 0; offset < length; offset += CHUNK_TOKENS) {
            if (offset > 0) {
                stop.check(dataset.files().tokens());
            }
            int count = Math.min(CHUNK_TOKENS, length - offset);
            dataset.read(sequence, offset, chunk, 0, count);
            for (int i = 0; i < count; i++) {
                smallestToken = Math.min(smallestToken, chunk[i]);
                largestToken = Math.max(largestToken, chunk[i]);
            }
            if (smallestToken < 0) {
                throw new DataException(dataset.files().tokens() + " is damaged: sequence " + sequence + " holds token "
                        + smallestToken);
            }
        }
    }

    int largestToken() {
        return largestToken;
    }

    /** Lines for people. */
    String show() {
        var text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "Lengths    %,d to %,d, mean %,.1f tokens%n",
                shortest,
                longest,
                (double) dataset.tokens() / dataset.sequences()));
        long most = Arrays.stream(byLength).max().orElse(1);
        for (int i = 0; i < byLength.length; i++) {
            if (byLength[i] > 0) {
                String range = i == 0 ? "0" : String.format(Locale.ROOT, "%,d-%,d", 1L << (i - 1), (1L << i) - 1);
                text.append(String.format(Locale.ROOT, "  %23s %,12d %s%n", range, byLength[i], "#".repeat((int)
                                Math.ceilDiv(40 * byLength[i], most))));
            }
        }
        text.append(
                largestToken < 0
                        ? ""
                        : String.format(
                                Locale.ROOT, "Token ids  %,d to %,d; all were read%n", smallestToken, largestToken));
        return text.toString();
    }
}
