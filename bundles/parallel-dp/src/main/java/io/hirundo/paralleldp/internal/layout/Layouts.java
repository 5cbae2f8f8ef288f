package io.hirundo.paralleldp.internal.layout;

import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.optimizer.Ownership;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Layouts of a rank's parameters, the same on all ranks. Parameters that must not be split have layouts of their own, and the others are cut
 * where they level the ranks.
 *
 * @param buckets of all parameters
 * @param imbalance elements of the rank that owns most, over an even share
 */
public record Layouts(List<BucketLayout> buckets, double imbalance) {
    private static final Logger LOG = LoggerFactory.getLogger(Layouts.class);

    /** Above this the fullest rank's share is worth a warning: the bound of balanced real models. */
    private static final double LARGE_IMBALANCE = 1.03;

    public Layouts {
        buckets = List.copyOf(buckets);
    }

    /**
     * For these parameters.
     *
     * @param groups indices of parameters that are sent together: one layout each, or one for those that must not be split and one for the others
     * @param logs whether this rank logs how even the ranks are
     */
    public static Layouts of(
            List<ParameterSpec> specs,
            Collection<List<Integer>> groups,
            boolean logs,
            int ranks,
            Function<ParameterSpec, Ownership> ownership) {
        List<Long> elements =
                specs.stream().map(spec -> spec.shape().elements()).toList();
        boolean inBlocks = ranks > 1 && specs.stream().anyMatch(spec -> ownership.apply(spec) == Ownership.BLOCKS);
        int alignment = inBlocks ? Ownership.BLOCK_ELEMENTS : 1;
        Set<Integer> unsplit = IntStream.range(0, ranks > 1 ? specs.size() : 0)
                .filter(index -> ownership.apply(specs.get(index)) == Ownership.TENSOR)
                .boxed()
                .collect(Collectors.toSet());
        if (unsplit.isEmpty()) {
            return new Layouts(
                    groups.stream()
                            .map(group -> BucketLayout.packed(group, elements, ranks, alignment))
                            .toList(),
                    1);
        }
        var owners = new MatrixOwners(elements, unsplit::contains, ranks);
        if (logs) {
            log(unsplit.size(), owners.imbalance());
        }
        var layouts = new ArrayList<BucketLayout>();
        // What each rank still gets of the parameters that are cut.
        long[] fills = owners.fills();
        for (List<Integer> group : groups) {
            List<Integer> owned = group.stream()
                    .filter(unsplit::contains)
                    .sorted(Comparator.comparing(owners::owner))
                    .toList();
            if (!owned.isEmpty()) {
                layouts.add(BucketLayout.owned(owned, elements, owners::owner, ranks));
            }
            List<Integer> cut = group.stream()
                    .filter(parameter -> !unsplit.contains(parameter))
                    .toList();
            if (!cut.isEmpty()) {
                layouts.add(BucketLayout.filling(cut, elements, fills, alignment));
            }
        }
        return new Layouts(layouts, owners.imbalance());
    }

    private static void log(int matrices, double imbalance) {
        String percent = String.format(Locale.ROOT, "%.1f", (imbalance - 1) * 100);
        if (imbalance > LARGE_IMBALANCE) {
            LOG.warn("optimizer owns {} unsplit matrices: imbalance {} %; use fewer data ranks", matrices, percent);
        } else {
            LOG.debug("optimizer owns {} unsplit matrices: imbalance {} %", matrices, percent);
        }
    }
}
