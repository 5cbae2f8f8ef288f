package io.hirundo.dataloader.internal.text;

import io.hirundo.data.TextSelection;
import io.hirundo.dataloader.internal.order.Mixing;
import java.util.Comparator;
import java.util.List;

/**
 * Which units are read, in which order, and how much of those that have to be read through.
 *
 * <p>A source that is not larger than what is wanted is read in its order. Of a larger one the units, parts of large files
 * among them, are read in the order of a seeded hash of their names and places until there is enough: a fair choice from all
 * of the source, and in a random order, so that whatever is set apart from its end is a fair choice too. Large streams cannot be
 * entered in the middle; of each of those every document is taken or left by its hash.
 *
 * @param units in order
 * @param share of the documents of large streams, 0 to 1
 * @param seed of the choice
 */
record ReadingPlan(List<TextUnit> units, double share, long seed) {
    /** Plans for units in their order, whose origins begin with the source's name. */
    static ReadingPlan of(List<TextUnit> units, String source, TextSelection selection) {
        long total = units.stream().mapToLong(TextUnit::bytes).sum();
        if (total <= selection.maximumBytes()) {
            return new ReadingPlan(units, 1, selection.seed());
        }
        double share = (double) selection.maximumBytes() / total;
        record Ranked(TextUnit unit, double rank) {}
        List<TextUnit> chosen = units.stream()
                .flatMap(unit -> unit.parts().stream())
                .map(unit -> {
                    double rank = uniform(
                            Mixing.hash(unit.origin().substring(source.length()), selection.seed()) + unit.from());
                    // A large stream gives only its share: it has to come before the others have filled the whole.
                    return new Ranked(unit, unit.isThinned() ? rank * share : rank);
                })
                .sorted(Comparator.comparingDouble(Ranked::rank))
                .map(Ranked::unit)
                .toList();
        return new ReadingPlan(chosen, share, selection.seed());
    }

    /** Whether a document of a large stream is taken. */
    boolean takes(TextUnit unit, long document) {
        return share >= 1
                || !unit.isThinned()
                || uniform(Mixing.hash(unit.origin(), seed) ^ (document * 0x9e3779b97f4a7c15L)) < share;
    }

    private static double uniform(long hash) {
        return (Mixing.mix(hash) >>> 11) * 0x1p-53;
    }
}
