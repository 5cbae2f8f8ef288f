package io.hirundo.paralleldp.internal.weights;

import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.layout.ShardPacking;
import io.hirundo.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * In which form the weights of a layout are gathered: quantized, or in the dtype that their layers read.
 *
 * @param names of all parameters, in the order of declaration
 * @param codes those that are gathered quantized
 * @param stored all others, by dtype
 */
record WeightForm(BucketLayout layout, List<String> names, Codings codings, ShardPacking codes, List<Stored> stored) {
    /**
     * Weights that are gathered in one dtype.
     *
     * @param places of the weights, in the order of the layout
     * @param packing what each rank sends; null where these are all weights of the layout, which then are gathered in place
     */
    record Stored(DType dtype, List<BucketLayout.Place> places, ShardPacking packing) {
        boolean isComplete() {
            return packing == null;
        }

        /** Of all weights, with the padding of the layout where they are gathered in place. */
        long elements(BucketLayout layout) {
            return isComplete()
                    ? layout.elements()
                    : places.stream().mapToLong(BucketLayout.Place::elements).sum();
        }
    }

    /** {@code types}: dtypes that layers read, by name; {@code masterType} for all others. */
    static WeightForm of(
            BucketLayout layout, List<String> names, Codings codings, Map<String, DType> types, DType masterType) {
        var byType = new LinkedHashMap<DType, List<BucketLayout.Place>>();
        for (BucketLayout.Place place : layout.places()) {
            String name = names.get(place.parameter());
            if (!codings.has(name)) {
                byType.computeIfAbsent(types.getOrDefault(name, masterType), unseen -> new ArrayList<>())
                        .add(place);
            }
        }
        var stored = new ArrayList<Stored>();
        byType.forEach((dtype, places) -> stored.add(stored(layout, dtype, List.copyOf(places))));
        return new WeightForm(
                layout,
                names,
                codings,
                ShardPacking.of(layout, place -> codings.has(names.get(place.parameter()))),
                List.copyOf(stored));
    }

    private static Stored stored(BucketLayout layout, DType dtype, List<BucketLayout.Place> places) {
        boolean complete = places.size() == layout.places().size();
        return new Stored(dtype, places, complete ? null : ShardPacking.of(layout, places::contains));
    }

    boolean isCoded(BucketLayout.Place place) {
        return codings.has(name(place));
    }

    String name(BucketLayout.Place place) {
        return names.get(place.parameter());
    }

    /** Whether all weights are gathered in this dtype, as their owners hold them. */
    boolean isOnly(DType masterType) {
        return stored.size() == 1
                && stored.getFirst().isComplete()
                && stored.getFirst().dtype() == masterType;
    }

    /** Where the weights of a partial {@link Stored} begin when they lie one after the other. */
    static Map<BucketLayout.Place, Long> consecutive(List<BucketLayout.Place> places) {
        var firsts = new HashMap<BucketLayout.Place, Long>();
        long first = 0;
        for (BucketLayout.Place place : places) {
            firsts.put(place, first);
            first += place.elements();
        }
        return firsts;
    }
}
