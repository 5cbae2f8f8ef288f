package io.hirundo.regress.internal.compare;

import io.hirundo.regress.internal.golden.CaseRecord;
import io.hirundo.regress.internal.set.RegressCase.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;

/**
 * The verdict on a case.
 *
 * @param name name of the case
 * @param golden comparison with the golden file; empty if there is none
 * @param peer comparison with another case of the same run; empty if there is none
 * @param throughput tokens per second divided by those of the golden file; NaN without a golden file
 * @param notes explanations of differences that are not failures
 * @param failures what is wrong, one line each; empty if the case passes
 */
public record Verdict(
        String name,
        Optional<ResultComparison> golden,
        Optional<ResultComparison> peer,
        double throughput,
        List<String> notes,
        List<String> failures) {
    public Verdict {
        notes = List.copyOf(notes);
        failures = List.copyOf(failures);
    }

    /**
     * The requirements for a pass.
     *
     * @param bitwise whether results must be bitwise equal: on the same kind of machine, unless the user allows noise
     * @param throughput minimum fraction of the recorded tokens per second; 0 for any
     */
    public record Demands(boolean bitwise, double throughput) {}

    public boolean passes() {
        return failures.isEmpty();
    }

    /** The verdict on a recorded case. {@code expected} is null for a case that is not in the golden file. */
    public static Verdict ofGolden(CaseRecord expected, CaseRecord actual, Demands demands) {
        if (expected == null) {
            return failed(actual.name(), "it is not in the golden file; record it");
        }
        var failures = new ArrayList<String>();
        var notes = new ArrayList<String>();
        var comparison = ResultComparison.of(expected, actual);
        describe(comparison, demands.bitwise(), "the golden file", failures);
        memory(expected, actual, failures);
        double throughput = actual.speed().tokensPerSecond() / expected.speed().tokensPerSecond();
        if (throughput < demands.throughput()) {
            failures.add(String.format(
                    Locale.ROOT,
                    "throughput is %.2f of what was recorded (allowed: %.2f or more)",
                    throughput,
                    demands.throughput()));
        }
        if (!expected.settings().equals(actual.settings())) {
            notes.add("its configuration is not the one that was recorded (a setting or a default has changed)");
        }
        return new Verdict(actual.name(), Optional.of(comparison), Optional.empty(), throughput, notes, failures);
    }

    /** The same case, also compared with another case of the run. */
    public Verdict with(Peer wanted, CaseRecord other, CaseRecord actual) {
        var all = new ArrayList<>(failures);
        var comparison = ResultComparison.of(other, actual);
        describe(comparison, wanted.bitwise(), "case " + wanted.name(), all);
        return new Verdict(name, golden, Optional.of(comparison), throughput, notes, all);
    }

    /** The verdict on a case without a golden file. */
    public static Verdict fresh(String name) {
        return new Verdict(name, Optional.empty(), Optional.empty(), Double.NaN, List.of(), List.of());
    }

    /** The verdict on a case that could not be compared. */
    public static Verdict failed(String name, String why) {
        return new Verdict(name, Optional.empty(), Optional.empty(), Double.NaN, List.of(), List.of(why));
    }

    private static void describe(ResultComparison comparison, boolean bitwise, String from, List<String> failures) {
        if (!comparison.incomparable().isEmpty()) {
            failures.add("cannot be compared with " + from + ": " + comparison.incomparable());
        } else if (!comparison.isWithinNoise() || bitwise && !comparison.isBitwise()) {
            failures.addAll(Explanation.of(comparison, from));
        }
    }

    private static void memory(CaseRecord expected, CaseRecord actual, List<String> failures) {
        if (expected.peakBytes().size() != actual.peakBytes().size()) {
            failures.add("it has " + actual.peakBytes().size() + " ranks in this process, and "
                    + expected.peakBytes().size() + " were recorded");
            return;
        }
        for (int rank = 0; rank < expected.peakBytes().size(); rank++) {
            SortedMap<String, Long> was = expected.peakBytes().get(rank);
            SortedMap<String, Long> is = actual.peakBytes().get(rank);
            var categories = new TreeSet<>(was.keySet());
            categories.addAll(is.keySet());
            for (String category : categories) {
                long before = bytes(was, category);
                long after = bytes(is, category);
                if (before != after) {
                    failures.add(String.format(
                            Locale.ROOT,
                            "peak memory of rank %d for %s: %,d bytes instead of %,d (%+,d)",
                            rank,
                            category,
                            after,
                            before,
                            after - before));
                }
            }
        }
    }

    private static long bytes(Map<String, Long> rank, String category) {
        return rank.getOrDefault(category, 0L);
    }
}
