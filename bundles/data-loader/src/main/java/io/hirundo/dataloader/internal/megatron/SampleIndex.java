package io.hirundo.dataloader.internal.megatron;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Cuts the shuffled documents of a part into samples of equal length, and shuffles those: Megatron's GPT sample index, equal
 * to the last number. Every sample is {@code sequenceTokens + 1} long; consecutive samples share one token before the shuffle. Twelve
 * bytes a sample and four a document and epoch are held.
 *
 * @param documents sequences of the dataset in the order in which they are laid end to end
 * @param startDocument by sample and one more: which of {@code documents} it begins in
 * @param startOffset by sample and one more: its first token there
 * @param shuffle by place in the order: which sample
 */
@SuppressWarnings("ArrayRecordComponent")
public // a table, compared by nobody
record SampleIndex(int[] documents, int[] startDocument, int[] startOffset, int[] shuffle) {
    /** What is not complete if the user interrupts it. */
    static final String WHAT = "the sample order";

    private static final int MOST_ENTRIES = Integer.MAX_VALUE - 16;

    /**
     * Builds the index.
     *
     * @param lengths tokens of a sequence
     * @param part which sequences; they hold at least one token
     * @param seed of the shuffles
     * @param stop ends the work
     * @throws DataException when there are more samples or documents than an array can hold
     */
    public static SampleIndex build(
            IntUnaryOperator lengths, DataSplit.Part part, int sequenceTokens, EpochPlan plan, long seed, Stop stop) {
        requireCountable(part, plan);
        var random = new MersenneTwister(seed);
        int[] documents = shuffledDocuments(part, plan, random, stop);
        int samples = (int) plan.samples();
        int[] startDocument = new int[samples + 1];
        int[] startOffset = new int[samples + 1];
        cut(lengths, documents, sequenceTokens, startDocument, startOffset, stop);
        int[] shuffle = new int[samples];
        Arrays.setAll(shuffle, i -> i);
        int early = (int) plan.earlySamples();
        random.shuffle(shuffle, 0, early, stop);
        random.shuffle(shuffle, early, samples, stop);
        return new SampleIndex(documents, startDocument, startOffset, shuffle);
    }

    /** @throws DataException when there are more samples or documents than an array can hold */
    public static void requireCountable(DataSplit.Part part, EpochPlan plan) {
        if ((long) part.sequences() * plan.epochs() > MOST_ENTRIES || plan.samples() > MOST_ENTRIES) {
            throw new DataException("data.source.options.order: megatron cannot order " + plan.epochs() + " epochs of "
                    + part.sequences() + " documents, " + plan.samples() + " samples: more than " + MOST_ENTRIES
                    + "; use order: permuted in a new run, or fewer steps");
        }
    }

    /** What an index takes. */
    public static long bytes(DataSplit.Part part, EpochPlan plan) {
        return 4L * part.sequences() * plan.epochs() + 12L * plan.samples();
    }

    private static int[] shuffledDocuments(DataSplit.Part part, EpochPlan plan, MersenneTwister random, Stop stop) {
        int[] documents = new int[part.sequences() * plan.epochs()];
        for (int i = 0; i < documents.length; i++) {
            documents[i] = part.first() + i % part.sequences();
        }
        int early = plan.lastIsSeparate() ? documents.length - part.sequences() : documents.length;
        random.shuffle(documents, 0, early, stop);
        random.shuffle(documents, early, documents.length, stop);
        return documents;
    }

    /** Walks over the documents and notes every {@code sequenceTokens} where it is. */
    private static void cut(
            IntUnaryOperator lengths,
            int[] documents,
            int sequenceTokens,
            int[] startDocument,
            int[] startOffset,
            Stop stop) {
        int document = 0;
        int length = lengths.applyAsInt(documents[0]);
        // Of the first token of the next sample; never past the last token of a document, because a sample's last token
        // is
        // the next one's first.
        long offset = 0;
        for (int sample = 1; sample < startDocument.length; sample++) {
            offset += sequenceTokens;
            if ((sample & Stop.EVERY) == 0) {
                stop.check(WHAT);
            }
            while (offset >= length) {
                offset -= length;
                length = lengths.applyAsInt(documents[++document]);
                if ((document & Stop.EVERY) == 0) {
                    stop.check(WHAT);
                }
            }
            startDocument[sample] = document;
            startOffset[sample] = (int) offset;
        }
    }

    public int samples() {
        return shuffle.length;
    }

    /** Reads the sample at a place of the order into {@code into}, which is as long as a sample. */
    public void read(IndexedDataset dataset, long place, int[] into) {
        int sample = shuffle[Math.toIntExact(place)];
        int document = startDocument[sample];
        int offset = startOffset[sample];
        int filled = 0;
        while (filled < into.length) {
            int sequence = documents[document];
            int count = Math.min(into.length - filled, dataset.length(sequence) - offset);
            dataset.read(sequence, offset, into, filled, count);
            filled += count;
            document++;
            offset = 0;
        }
    }
}
