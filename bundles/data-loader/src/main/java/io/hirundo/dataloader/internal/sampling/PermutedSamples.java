package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.order.BlendTree;
import io.hirundo.dataloader.internal.order.OrderIdentity;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The samples of a part of the data in the default order. A sample follows from its index, the seed, the weights and the lengths of
 * the datasets: not from how many are asked for, which only bounds the index.
 *
 * @param from what was read before these began
 * @param count of samples, those before included
 * @param blend of the datasets
 * @param datasets by place in the blend
 */
record PermutedSamples(DataCursor from, long count, BlendTree blend, List<PermutedPart> datasets)
        implements SplitSamples {
    private static final DataCursor.Part UNREAD = new DataCursor.Part(0, 0);

    @Override
    public void read(long index, int[] into) {
        BlendTree.Pick pick = pick(index);
        PermutedPart dataset = datasets.get(pick.dataset());
        dataset.read(readBefore(dataset) + pick.number(), into);
    }

    @Override
    public IndexedDataset dataset(long index) {
        return datasets.get(pick(index).dataset()).dataset();
    }

    private BlendTree.Pick pick(long index) {
        if (index < from.sample()) {
            throw new IndexOutOfBoundsException(
                    "sample " + index + " was read before this source took over at " + from.sample());
        }
        return blend.at(index - from.sample());
    }

    private long readBefore(PermutedPart dataset) {
        return from.parts().getOrDefault(dataset.name(), UNREAD).read();
    }

    /** Datasets that are no longer in the blend keep what was read of them: they may come back. */
    @Override
    public Map<String, DataCursor.Part> readAfter(long samples) {
        var parts = new LinkedHashMap<>(from.parts());
        long[] counts = blend.countsAfter(Math.max(0, samples - from.sample()));
        for (int index = 0; index < counts.length; index++) {
            PermutedPart dataset = datasets.get(index);
            parts.put(dataset.name(), new DataCursor.Part(readBefore(dataset) + counts[index], 0));
        }
        return parts;
    }

    @Override
    public long epochs() {
        long[] counts = blend.countsAfter(Math.max(0, count - from.sample()));
        long epochs = 0;
        for (int index = 0; index < counts.length; index++) {
            PermutedPart dataset = datasets.get(index);
            epochs = Math.max(epochs, dataset.epochs(readBefore(dataset) + counts[index]));
        }
        return epochs;
    }

    @Override
    public String orderName() {
        return OrderIdentity.PERMUTED;
    }
}
