package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataCursor;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.megatron.BlendOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The samples of a part of the data, in order: {@link PermutedSamples}, or those of Megatron's order below. Reading is thread-safe. */
interface SplitSamples {
    SplitSamples NONE = new SplitSamples() {
        @Override
        public long count() {
            return 0;
        }

        @Override
        public void read(long place, int[] into) {
            throw new IndexOutOfBoundsException("sample " + place + " of none");
        }

        @Override
        public IndexedDataset dataset(long place) {
            throw new IndexOutOfBoundsException("sample " + place + " of none");
        }

        @Override
        public long epochs() {
            return 0;
        }

        @Override
        public String orderName() {
            return "";
        }
    };

    long count();

    void read(long place, int[] into);

    /** The one that a sample is read from. */
    IndexedDataset dataset(long place);

    /** What has been read of each dataset once this many samples of the part have. */
    default Map<String, DataCursor.Part> readAfter(long samples) {
        return Map.of();
    }

    /** Passes through the data; the most of any dataset. */
    long epochs();

    /** Algorithm of the order, as {@link io.hirundo.dataloader.internal.order.OrderIdentity#algorithm}; empty without samples. */
    String orderName();

    /** Of one dataset: all samples of its epochs. */
    record OfOne(PartSamples samples) implements SplitSamples {
        @Override
        public long count() {
            return samples.count();
        }

        @Override
        public void read(long place, int[] into) {
            samples.read(place, into);
        }

        @Override
        public IndexedDataset dataset(long place) {
            return samples.dataset();
        }

        @Override
        public Map<String, DataCursor.Part> readAfter(long count) {
            return Map.of(samples.name(), new DataCursor.Part(count, samples.planned()));
        }

        @Override
        public long epochs() {
            return samples.epochs();
        }

        @Override
        public String orderName() {
            return PartSamples.order(List.of(samples));
        }
    }

    /** Of several datasets in turn. */
    record OfBlend(BlendOrder order, List<PartSamples> datasets) implements SplitSamples {
        @Override
        public long count() {
            return order.dataset().length;
        }

        @Override
        public void read(long place, int[] into) {
            int at = Math.toIntExact(place);
            datasets.get(order.dataset()[at]).read(order.sample()[at], into);
        }

        @Override
        public IndexedDataset dataset(long place) {
            return datasets.get(order.dataset()[Math.toIntExact(place)]).dataset();
        }

        @Override
        public Map<String, DataCursor.Part> readAfter(long count) {
            long[] read = order.countsAfter(count);
            var parts = new LinkedHashMap<String, DataCursor.Part>();
            for (int index = 0; index < read.length; index++) {
                PartSamples one = datasets.get(index);
                parts.put(one.name(), new DataCursor.Part(read[index], one.planned()));
            }
            return parts;
        }

        @Override
        public long epochs() {
            return datasets.stream().mapToInt(PartSamples::epochs).max().orElse(0);
        }

        @Override
        public String orderName() {
            return PartSamples.order(datasets);
        }
    }
}
