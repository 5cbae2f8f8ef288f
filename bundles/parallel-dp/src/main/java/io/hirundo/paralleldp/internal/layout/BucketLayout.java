package io.hirundo.paralleldp.internal.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Consecutive parameters in one buffer, which the ranks of a group divide: each rank has one slice. In most layouts slices are equal, wherever
 * parameters begin or end (distributed optimizer, Rajbhandari et al. 2020, arXiv 1910.02054).
 *
 * @param places of the parameters, from the bucket's beginning
 * @param shards the slices of the ranks; their sum is the buffer with its padding
 */
public record BucketLayout(List<Place> places, Shards shards) {
    /** So that slices begin where wide loads and network packets like to. */
    static final int ALIGNMENT_ELEMENTS = 128;

    /**
     * A parameter in its bucket.
     *
     * @param parameter index in the order of declaration
     * @param first where it begins in the bucket
     */
    public record Place(int parameter, long first, long elements) {
        long end() {
            return first + elements;
        }
    }

    /**
     * A part of a parameter.
     *
     * @param firstOfBucket where it begins in the bucket
     * @param firstOfParameter where it begins in the parameter
     */
    public record Run(long firstOfBucket, long firstOfParameter, long elements) {}

    public BucketLayout {
        places = List.copyOf(places);
    }

    /**
     * The parameters of each bucket, by index: the last declared one first, because its gradient is the first to be known.
     *
     * @param parameterElements in the order of declaration
     * @param closingElements a bucket that holds as many takes no further parameter
     */
    public static List<List<Integer>> groups(List<Long> parameterElements, long closingElements) {
        var buckets = new ArrayList<List<Integer>>();
        var parameters = new ArrayList<Integer>();
        long used = 0;
        for (int parameter = parameterElements.size() - 1; parameter >= 0; parameter--) {
            parameters.add(parameter);
            used += parameterElements.get(parameter);
            if (used >= closingElements || parameter == 0) {
                buckets.add(List.copyOf(parameters));
                parameters.clear();
                used = 0;
            }
        }
        return buckets;
    }

    /**
     * A bucket of these parameters, of which each rank has an equal slice.
     *
     * @param parameters indices, in the order of the bucket
     * @param parameterElements of all parameters
     * @param alignment parameters and slices begin at multiples of it
     */
    public static BucketLayout packed(
            List<Integer> parameters, List<Long> parameterElements, int ranks, int alignment) {
        List<Place> places = consecutive(parameters, parameterElements, alignment);
        // A whole slice of aligned ones each, where that is more than the common multiple.
        long elements = padded(places.getLast().end(), ranks);
        return new BucketLayout(places, Shards.even(ranks, roundedUp(elements, (long) ranks * alignment)));
    }

    /**
     * A bucket whose parameters each belong to one rank.
     *
     * @param parameters indices, those of a rank behind those of the rank before
     * @param owner of a parameter
     * @throws IllegalArgumentException if parameters are in another order
     */
    static BucketLayout owned(
            List<Integer> parameters, List<Long> parameterElements, IntUnaryOperator owner, int ranks) {
        var places = new ArrayList<Place>();
        var sizes = new long[ranks];
        long used = 0;
        int next = 0;
        for (int rank = 0; rank < ranks; rank++) {
            long first = used;
            for (; next < parameters.size() && owner.applyAsInt(parameters.get(next)) == rank; next++) {
                long elements = parameterElements.get(parameters.get(next));
                places.add(new Place(parameters.get(next), used, elements));
                used += elements;
            }
            used = padded(used, 1);
            sizes[rank] = used - first;
        }
        if (next != parameters.size()) {
            throw new IllegalArgumentException(
                    "parameter " + parameters.get(next) + " is not behind those of the ranks before its owner");
        }
        return new BucketLayout(places, Shards.of(sizes));
    }

    /**
     * A bucket of which each rank in turn has as much as it may still get; the last one takes the rest.
     *
     * @param fills what each rank may get, which is reduced by what it gets here
     * @param alignment parameters and slices begin at multiples of it
     */
    static BucketLayout filling(List<Integer> parameters, List<Long> parameterElements, long[] fills, int alignment) {
        List<Place> places = consecutive(parameters, parameterElements, alignment);
        long left = roundedUp(padded(places.getLast().end(), 1), alignment);
        var sizes = new long[fills.length];
        for (int rank = 0; rank < fills.length; rank++) {
            boolean isLast = rank == fills.length - 1;
            long size = isLast ? left : Math.min(left, roundedUp(padded(fills[rank], 1), alignment));
            sizes[rank] = size;
            fills[rank] = Math.max(0, fills[rank] - size);
            left -= size;
        }
        return new BucketLayout(places, Shards.of(sizes));
    }

    private static List<Place> consecutive(List<Integer> parameters, List<Long> parameterElements, int alignment) {
        var places = new ArrayList<Place>();
        long used = 0;
        for (int parameter : parameters) {
            used = roundedUp(used, alignment);
            long elements = parameterElements.get(parameter);
            places.add(new Place(parameter, used, elements));
            used += elements;
        }
        return places;
    }

    /** With padding. */
    public long elements() {
        return shards.elements();
    }

    /** Ranks of the group that divides the bucket. */
    public int ranks() {
        return shards.ranks();
    }

    /** Elements up to the padding at the end. */
    public long usedElements() {
        return places.getLast().end();
    }

    /** Size of a rank's slice; 0 where others own all. */
    public long sliceElements(int rank) {
        return shards.elements(rank);
    }

    public long sliceFirst(int rank) {
        return shards.first(rank);
    }

    /** What a rank's slice has of a parameter. */
    public Optional<Run> run(Place place, int rank) {
        long first = Math.max(place.first(), sliceFirst(rank));
        long end = Math.min(place.end(), sliceFirst(rank + 1));
        return first < end ? Optional.of(new Run(first, first - place.first(), end - first)) : Optional.empty();
    }

    /** Whether parameters and slices begin at multiples of so many elements. */
    public boolean isDivisible(int block) {
        return places.stream().allMatch(place -> place.first() % block == 0)
                && IntStream.rangeClosed(0, ranks()).allMatch(rank -> sliceFirst(rank) % block == 0);
    }

    /** The layout of tensors with an element for each block. A parameter that ends within a block has an element for its full blocks only. */
    public BucketLayout inBlocks(int block) {
        if (block == 1) {
            return this;
        }
        if (!isDivisible(block)) {
            throw new IllegalArgumentException("parameters or slices begin within a block of " + block + " elements");
        }
        List<Place> blocks = places.stream()
                .map(place -> new Place(place.parameter(), place.first() / block, place.elements() / block))
                .toList();
        return new BucketLayout(blocks, shards.inBlocks(block));
    }

    private static long padded(long used, int ranks) {
        long unit = (long) ALIGNMENT_ELEMENTS / gcd(ALIGNMENT_ELEMENTS, ranks) * ranks;
        return roundedUp(used, unit);
    }

    private static long roundedUp(long elements, long unit) {
        return Math.ceilDiv(elements, unit) * unit;
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
