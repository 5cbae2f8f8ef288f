package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.megatron.BlendOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * Training samples from a data cursor on. The datasets take turns by the current weights, and each continues where it stopped. A dataset
 * keeps the sample order of its first use; when that is exhausted, it reshuffles it.
 *
 * @param begin place of the first sample that can be read
 * @param order of what follows
 * @param datasets of the blend
 */
record ContinuedSamples(long begin, BlendOrder order, List<Dataset> datasets) implements SplitSamples {
    /**
     * A dataset that continues.
     *
     * @param from what was read of it
     * @param firstRound the round in which the first sample lies
     * @param rounds passes through the order, from the first that is needed on
     */
    record Dataset(DataCursor.Part from, long firstRound, List<PartSamples> rounds) {
        /**
         * Plans what is needed.
         *
         * @param needed samples from here on
         * @param round plans a round of {@code from.planned()} samples, each shuffled differently
         */
        static Dataset plan(DataCursor.Part from, long needed, LongFunction<PartSamples> round) {
            var rounds = new ArrayList<PartSamples>();
            rounds.add(round.apply(0));
            long size = rounds.getFirst().count();
            long first = from.read() / size;
            if (first > 0) {
                rounds.set(0, round.apply(first));
            }
            long last = (from.read() + Math.max(1, needed) - 1) / size;
            for (long number = first + 1; number <= last; number++) {
                rounds.add(round.apply(number));
            }
            return new Dataset(from, first, List.copyOf(rounds));
        }

        void read(long number, int[] into) {
            long size = rounds.getFirst().count();
            long place = from.read() + number - firstRound * size;
            rounds.get(Math.toIntExact(place / size)).read(place % size, into);
        }

        int epochs() {
            return rounds.stream().mapToInt(PartSamples::epochs).sum();
        }
    }

    @Override
    public long count() {
        return begin + order.dataset().length;
    }

    @Override
    public void read(long place, int[] into) {
        int at = at(place);
        datasets.get(order.dataset()[at]).read(order.sample()[at], into);
    }

    @Override
    public IndexedDataset dataset(long place) {
        return datasets.get(order.dataset()[at(place)]).rounds().getFirst().dataset();
    }

    private int at(long place) {
        if (place < begin) {
            throw new IndexOutOfBoundsException(
                    "sample " + place + " was read before this source took over at " + begin);
        }
        return Math.toIntExact(place - begin);
    }

    @Override
    public Map<String, DataCursor.Part> readAfter(long count) {
        long[] read = order.countsAfter(count - begin);
        var parts = new LinkedHashMap<String, DataCursor.Part>();
        for (int index = 0; index < read.length; index++) {
            Dataset one = datasets.get(index);
            parts.put(
                    one.rounds().getFirst().name(),
                    new DataCursor.Part(
                            one.from().read() + read[index], one.from().planned()));
        }
        return parts;
    }

    @Override
    public long epochs() {
        return datasets.stream().mapToInt(Dataset::epochs).max().orElse(0);
    }

    @Override
    public String orderName() {
        // All rounds of a dataset are planned alike.
        return PartSamples.order(
                datasets.stream().map(dataset -> dataset.rounds().getFirst()).toList());
    }
}
