package io.hirundo.dataloader.internal.sequential;

import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.order.OrderCheck;
import io.hirundo.dataloader.internal.order.OrderIdentity;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * A dataset in file order, once: sample k reads the tokens from {@code k S} to {@code (k + 1) S}, both included, so that
 * consecutive samples share one token and every token but the first is predicted once. A rest shorter than a sample is left out. Both
 * parts are the whole dataset.
 */
final class SequentialSamples implements SampleSet {
    private final IndexedDataset dataset;
    private final int sequenceTokens;

    SequentialSamples(IndexedDataset dataset, int sequenceTokens) {
        this.dataset = dataset;
        this.sequenceTokens = sequenceTokens;
    }

    @Override
    public long count(Split split) {
        return Math.max(0, dataset.tokens() - 1) / sequenceTokens;
    }

    @Override
    public void read(Split split, long index, int[] into) {
        if (index < 0 || index >= count(split)) {
            throw new IndexOutOfBoundsException("sample " + index + " of " + count(split));
        }
        dataset.readTokens(index * sequenceTokens, into, 0, into.length);
    }

    @Override
    public int vocabularyBound() {
        return dataset.largestToken().orElse(-1) + 1;
    }

    @Override
    public String order() {
        var properties = new LinkedHashMap<String, String>();
        properties.put(OrderIdentity.SEQUENCE_TOKENS, String.valueOf(sequenceTokens));
        properties.put(OrderIdentity.TOKENS, String.valueOf(dataset.tokens()));
        return new OrderIdentity(OrderIdentity.SEQUENTIAL, properties).toString();
    }

    @Override
    public Optional<String> orderConflict(Optional<String> recorded) {
        return OrderCheck.conflict(order(), recorded);
    }

    @Override
    public String describe() {
        return dataset.files().prefix() + ", " + dataset.tokens() + " tokens in file order";
    }

    @Override
    public void close() {
        dataset.close();
    }
}
