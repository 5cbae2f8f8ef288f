package io.hirundo.paralleldp.internal.layout;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Which rank owns each parameter that must not be split, and how many elements of the others each rank gets. The largest parameter goes
 * first, to the rank that has least; all others are cut so that they level the ranks.
 */
final class MatrixOwners {
    private final int[] ownerOf;
    private final long[] loads;
    private final long dividedElements;
    private final long level;

    /**
     * Assigns owners, the same for the same arguments.
     *
     * @param elements of each parameter
     * @param isUnsplit whether a parameter, by index, must not be split
     */
    MatrixOwners(List<Long> elements, IntPredicate isUnsplit, int ranks) {
        ownerOf = new int[elements.size()];
        loads = new long[ranks];
        var least = new PriorityQueue<Integer>(
                Comparator.<Integer>comparingLong(rank -> loads[rank]).thenComparing(rank -> rank));
        IntStream.range(0, ranks).forEach(least::add);
        IntStream.range(0, ownerOf.length)
                .filter(isUnsplit)
                .boxed()
                .sorted(Comparator.<Integer>comparingLong(elements::get)
                        .reversed()
                        .thenComparing(parameter -> parameter))
                .forEach(parameter -> {
                    int rank = least.remove();
                    ownerOf[parameter] = rank;
                    loads[rank] += elements.get(parameter);
                    least.add(rank);
                });
        dividedElements = IntStream.range(0, ownerOf.length)
                .filter(isUnsplit.negate())
                .mapToLong(elements::get)
                .sum();
        level = level();
    }

    /** The load up to which the divided elements fill the ranks. */
    private long level() {
        long[] sorted = loads.clone();
        Arrays.sort(sorted);
        long sum = dividedElements;
        for (int filled = 1; ; filled++) {
            sum += sorted[filled - 1];
            long found = Math.ceilDiv(sum, filled);
            if (filled == sorted.length || found <= sorted[filled]) {
                return found;
            }
        }
    }

    int owner(int parameter) {
        return ownerOf[parameter];
    }

    /** Elements that each rank gets of the parameters that may be cut; together at least as many as there are. */
    long[] fills() {
        return Arrays.stream(loads).map(load -> Math.max(0, level - load)).toArray();
    }

    /** Elements of the rank that has most, over the mean of all ranks. */
    double imbalance() {
        // No rank is above the level but for unsplit parameters.
        long most = Math.max(
                dividedElements == 0 ? 0 : level, Arrays.stream(loads).max().orElse(0));
        long all = dividedElements + Arrays.stream(loads).sum();
        return (double) most * loads.length / all;
    }
}
