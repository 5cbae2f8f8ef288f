package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.megatron.BlendOrder;
import io.hirundo.dataloader.internal.megatron.HeapRoom;
import io.hirundo.dataloader.internal.megatron.Weights;
import io.hirundo.dataloader.internal.sampling.SplitPlanner.Share;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Builds the tables of Megatron's order. They are as long as the run, and their size is known before they are allocated.
 *
 * @param sequenceTokens of a sample, labels not counted
 * @param seed of the shuffles, the same for each dataset and part
 * @param room for the tables
 */
record MegatronPlanner(int sequenceTokens, long seed, HeapRoom room, Stop stop) {
    /**
     * Plans the samples of a part.
     *
     * @param shares of the datasets that have something in the part; at least one
     * @param blended whether datasets take turns; else there is one
     * @param requested samples, by the whole run
     * @param from what was read before the first of them
     */
    SplitSamples plan(List<Share> shares, boolean blended, long requested, DataCursor from) {
        if (!from.isBeginning()) {
            return continued(shares, requested, from);
        }
        return blended ? blend(shares, requested) : new SplitSamples.OfOne(samples(shares.getFirst(), requested));
    }

    private SplitSamples continued(List<Share> shares, long requested, DataCursor from) {
        // At least one: a run that has read more than it asks for now has nothing left to do, which others find out.
        long left = Math.max(1, requested - from.sample());
        double[] weights = weights(shares);
        BlendOrder order = order(weights, left);
        var datasets = new ArrayList<ContinuedSamples.Dataset>();
        for (int index = 0; index < weights.length; index++) {
            Share share = shares.get(index);
            long planned = order.toPlan(index, weights[index], left);
            var part = from.parts().getOrDefault(share.name(), new DataCursor.Part(0, planned));
            datasets.add(ContinuedSamples.Dataset.plan(
                    part,
                    order.counts()[index],
                    round -> PartSamples.plan(share, sequenceTokens, part.planned(), seed + round, room, stop)));
        }
        return new ContinuedSamples(from.sample(), order, datasets);
    }

    private SplitSamples blend(List<Share> shares, long requested) {
        if (shares.size() > Short.MAX_VALUE) {
            throw new DataException(
                    "a blend of " + shares.size() + " datasets is too large: " + Short.MAX_VALUE + " at most");
        }
        double[] weights = weights(shares);
        BlendOrder order = order(weights, requested);
        List<PartSamples> samples = new ArrayList<>();
        for (int i = 0; i < weights.length; i++) {
            samples.add(samples(shares.get(i), order.toPlan(i, weights[i], requested)));
        }
        return new SplitSamples.OfBlend(order, samples);
    }

    private BlendOrder order(double[] weights, long samples) {
        return room.make(
                BlendOrder.BYTES_PER_SAMPLE * samples,
                String.format(Locale.ROOT, "the blend of %,d samples", samples),
                () -> BlendOrder.of(weights, samples, stop));
    }

    private static double[] weights(List<Share> shares) {
        return Weights.normalize(shares.stream().mapToDouble(Share::weight).toArray());
    }

    private PartSamples samples(Share share, long requested) {
        return PartSamples.plan(share, sequenceTokens, requested, seed, room, stop);
    }
}
