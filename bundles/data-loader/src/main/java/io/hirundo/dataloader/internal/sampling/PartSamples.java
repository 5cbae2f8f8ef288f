package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.megatron.EpochPlan;
import io.hirundo.dataloader.internal.megatron.HeapRoom;
import io.hirundo.dataloader.internal.megatron.SampleIndex;
import io.hirundo.dataloader.internal.order.OrderIdentity;
import io.hirundo.dataloader.internal.sampling.SplitPlanner.Share;
import io.hirundo.dataloader.internal.stop.Stop;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The samples of one part of one dataset, in order. */
final class PartSamples {
    private final IndexedDataset dataset;
    private final EpochPlan plan;
    private final SampleIndex index;
    private final long planned;

    /**
     * Plans the samples of a part.
     *
     * @param requested at least as many are there afterwards
     * @param stop ends the planning
     */
    static PartSamples plan(Share share, int sequenceTokens, long requested, long seed, HeapRoom room, Stop stop) {
        IndexedDataset dataset = share.dataset();
        try {
            EpochPlan plan = EpochPlan.of(share.tokens(), sequenceTokens, requested);
            SampleIndex.requireCountable(share.part(), plan);
            SampleIndex index = room.make(
                    SampleIndex.bytes(share.part(), plan),
                    String.format(Locale.ROOT, "the %,d samples of %s", plan.samples(), share.name()),
                    () -> SampleIndex.build(dataset::length, share.part(), sequenceTokens, plan, seed, stop));
            return new PartSamples(dataset, plan, index, requested);
        } catch (ArithmeticException e) {
            throw new DataException(
                    dataset.files().prefix() + ": " + requested + " samples of " + sequenceTokens
                            + " tokens are more than can be counted",
                    e);
        }
    }

    private PartSamples(IndexedDataset dataset, EpochPlan plan, SampleIndex index, long planned) {
        this.planned = planned;
        this.dataset = dataset;
        this.plan = plan;
        this.index = index;
    }

    long count() {
        return index.samples();
    }

    IndexedDataset dataset() {
        return dataset;
    }

    /** The name of the dataset in the configuration. */
    String name() {
        return dataset.files().prefix().toString();
    }

    /** How many samples were asked for when the order was made. */
    long planned() {
        return planned;
    }

    /** What the order of these datasets' samples depends on besides seed and data, which is what {@code training.steps} may change. */
    static String order(List<PartSamples> datasets) {
        return datasets.stream()
                .map(dataset -> dataset.plan)
                .map(plan -> plan.epochs() + "/" + plan.samples() + "/" + plan.earlySamples())
                .collect(Collectors.joining(",", OrderIdentity.MEGATRON + ":", ""));
    }

    int epochs() {
        return plan.epochs();
    }

    void read(long place, int[] into) {
        index.read(dataset, place, into);
    }
}
