package io.hirundo.dataloader.internal.sampling;

import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.order.Mixing;
import io.hirundo.dataloader.internal.order.Permutation;

/**
 * The samples of one part of one dataset in the default order, without end.
 *
 * <p>The part is a ring of {@code T} tokens: its documents in file order, the first behind the last. Epoch {@code e} cuts it into
 * {@code n = max(1, floor(T / S))} samples of {@code S} tokens and one label, from token {@code o(e)} on, and shows them in the order
 * of a {@link Permutation}. {@code o(0)} is 0; in later epochs it is a hash, so that borders between samples move and the
 * {@code T mod S} tokens that an epoch leaves out are others each time. A part of fewer than {@code S} tokens repeats within a sample.
 *
 * @param firstToken of the part, counted in the dataset
 * @param tokens of the part; above 0
 * @param sequenceTokens of a sample, its last label not counted
 * @param seed of the run
 */
record PermutedPart(IndexedDataset dataset, long firstToken, long tokens, int sequenceTokens, long seed) {
    long samplesPerEpoch() {
        return Math.max(1, tokens / sequenceTokens);
    }

    /** The name of the dataset in the configuration. */
    String name() {
        return dataset.files().prefix().toString();
    }

    /** How many epochs have begun once so many samples are read; at least 1. */
    long epochs(long samples) {
        return Math.max(1, Math.ceilDiv(samples, samplesPerEpoch()));
    }

    /** Reads the sample that comes after {@code number} others. */
    void read(long number, int[] into) {
        long epoch = number / samplesPerEpoch();
        // Of the data only its length counts, not its name: a dataset that was moved keeps its order.
        long key = Mixing.mix(Mixing.mix(Mixing.mix(seed) ^ tokens) ^ epoch);
        long sample = new Permutation(samplesPerEpoch(), key).at(number % samplesPerEpoch());
        long offset = epoch == 0 ? 0 : Long.remainderUnsigned(Mixing.mix(~key), tokens);
        long token = (offset + sample * sequenceTokens) % tokens;
        for (int filled = 0; filled < into.length; ) {
            int count = (int) Math.min(into.length - filled, tokens - token);
            dataset.readTokens(firstToken + token, into, filled, count);
            filled += count;
            token = 0;
        }
    }
}
