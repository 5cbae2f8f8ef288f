package io.hirundo.dataloader.internal.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.megatron.DataSplit;
import io.hirundo.dataloader.internal.megatron.HeapRoom;
import io.hirundo.dataloader.internal.order.BlendTree;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans one part of the data.
 *
 * @param sequenceTokens of a sample, labels not counted
 * @param seed of the shuffles, the same for each dataset and part
 * @param order in which samples come
 */
record SplitPlanner(int sequenceTokens, long seed, SampleOrder order, Stop stop) {
    private static final Logger LOG = LoggerFactory.getLogger(SplitPlanner.class);

    /**
     * A dataset of a blend.
     *
     * @param weight above 0
     */
    record Weighted(IndexedDataset dataset, double weight) {}

    /** What a dataset has in the part; at least one token. */
    record Share(IndexedDataset dataset, double weight, DataSplit.Part part, long tokens) {
        String name() {
            return dataset.files().prefix().toString();
        }
    }

    /**
     * Plans the samples. Datasets without anything in this part are left out.
     *
     * @param part the part of that many sequences
     * @param name of the part, for messages
     * @param requested samples, by the whole run
     * @param from what was read before the first of them
     */
    SplitSamples plan(
            List<Weighted> blend,
            BiFunction<DataSplit, Integer, DataSplit.Part> part,
            DataSplit split,
            String name,
            long requested,
            DataCursor from) {
        if (requested == 0) {
            return SplitSamples.NONE;
        }
        List<Share> shares = shares(blend, part, split, name);
        if (shares.isEmpty()) {
            return SplitSamples.NONE;
        }
        shares.forEach(share -> requireSameOrder(share, from));
        return switch (order) {
            case PERMUTED -> permuted(shares, requested, from);
            case MEGATRON ->
                new MegatronPlanner(sequenceTokens, seed, HeapRoom.ofProcess(), stop)
                        .plan(shares, blend.size() > 1, requested, from);
        };
    }

    private SplitSamples permuted(List<Share> shares, long requested, DataCursor from) {
        var blend = new BlendTree(shares.stream().mapToDouble(Share::weight).toArray());
        var datasets = shares.stream()
                .map(share -> new PermutedPart(
                        share.dataset(),
                        share.dataset().firstToken(share.part().first()),
                        share.tokens(),
                        sequenceTokens,
                        seed))
                .toList();
        return new PermutedSamples(from, requested, blend, datasets);
    }

    /** What was read of a dataset has a meaning in the order alone in which it was read. */
    private void requireSameOrder(Share share, DataCursor from) {
        DataCursor.Part read = from.parts().get(share.name());
        if (read == null || read.read() == 0) {
            return;
        }
        SampleOrder before = read.planned() == 0 ? SampleOrder.PERMUTED : SampleOrder.MEGATRON;
        if (before != order) {
            throw new ConfigurationException("data.source.options.order: " + name(order) + " cannot continue "
                    + share.name() + ", of which the run has read " + read.read()
                    + " samples in another order; add order: " + name(before));
        }
    }

    private static String name(SampleOrder order) {
        return order.name().toLowerCase(Locale.ROOT);
    }

    /** Tokens that a dataset has in a part. */
    static long tokens(IndexedDataset dataset, DataSplit.Part part) {
        return dataset.firstToken(part.end()) - dataset.firstToken(part.first());
    }

    private static List<Share> shares(
            List<Weighted> blend, BiFunction<DataSplit, Integer, DataSplit.Part> part, DataSplit split, String name) {
        List<Share> shares = new ArrayList<>();
        for (Weighted weighted : blend) {
            IndexedDataset dataset = weighted.dataset();
            DataSplit.Part own = part.apply(split, dataset.sequences());
            long tokens = tokens(dataset, own);
            if (tokens > 0) {
                shares.add(new Share(dataset, weighted.weight(), own, tokens));
            } else if (blend.size() > 1) {
                LOG.warn(
                        "{} has no {} part: its {} documents are too few for the split; the others take its share",
                        dataset.files().prefix(),
                        name,
                        dataset.documents());
            }
        }
        return shares;
    }
}
