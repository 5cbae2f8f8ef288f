package io.hirundo.regress.internal.compare;

import io.hirundo.regress.internal.compare.Difference.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Explains in a few lines where two results first differ, what differs most there and by how much. */
final class Explanation {
    private Explanation() {}

    /** {@code from}: name of the reference. */
    static List<String> of(ResultComparison comparison, String from) {
        List<Difference> first = comparison.first();
        boolean isNoise = comparison.isWithinNoise();
        var lines = new ArrayList<String>();
        lines.add(String.format(
                Locale.ROOT,
                "differs from %s at step %d, %s",
                from,
                first.getFirst().step(),
                isNoise
                        ? "by no more than the noise of rounding, where every bit should be the same"
                        : "by more than the noise of rounding"));
        for (Kind kind : Kind.values()) {
            List<Difference> some =
                    first.stream().filter(each -> each.kind() == kind).toList();
            if (!some.isEmpty()) {
                lines.add(kind == Kind.GRADIENT || kind == Kind.WEIGHT ? tensors(kind, some) : figure(some.getFirst()));
            }
        }
        if (first.stream().noneMatch(each -> each.kind() == Kind.LOSS)) {
            lines.add("its loss does not" + (isNoise ? "" : " differ by more than noise")
                    + ": look at the backward, the sums over ranks, and the step before");
        }
        return lines;
    }

    private static String figure(Difference difference) {
        return String.format(
                Locale.ROOT,
                "  %s: %.3g of it (%.3g times the noise)",
                difference.kind().words(),
                difference.relative(),
                difference.timesNoise());
    }

    private static String tensors(Kind kind, List<Difference> some) {
        if (some.size() == 1) {
            return "  " + kind.words() + " of " + words(some.getFirst());
        }
        // A fault in the forward pass shows first in the earliest layer, one in the backward pass in the last layer.
        return String.format(
                Locale.ROOT,
                "  %ss of %d tensors: first in the model %s; last %s; largest %s",
                kind.words(),
                some.size(),
                words(some.getFirst()),
                words(some.getLast()),
                words(ResultComparison.largest(some)));
    }

    private static String words(Difference difference) {
        return String.format(
                Locale.ROOT,
                "%s by %.3g, its norm %+.3g %% (%.3g times the noise)",
                difference.tensor(),
                difference.relative(),
                100 * difference.scale(),
                difference.timesNoise());
    }
}
