package io.hirundo.regress.internal.run;

import io.hirundo.command.Quantity;
import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/** Progress of a set with the remaining time: a live line on a terminal, nothing otherwise. To be used on one thread. */
public final class CaseProgress {
    private final LiveLine line;
    private final LongSupplier nanoClock;
    private final List<String> cases;
    /** Expected duration of each case. */
    private final Map<String, Double> seconds;

    private int index = -1;
    private long beginNanos;
    private double passedSeconds;
    private double plannedSeconds;

    /**
     * The progress of cases that are about to run.
     *
     * @param seconds recorded durations; if empty, all cases are assumed to take equally long
     */
    public CaseProgress(
            PrintStream err,
            boolean isTerminal,
            LongSupplier nanoClock,
            List<String> cases,
            Map<String, Double> seconds) {
        this.line = new LiveLine(err, isTerminal, nanoClock);
        this.nanoClock = nanoClock;
        this.cases = List.copyOf(cases);
        this.seconds = Map.copyOf(seconds);
    }

    /** Starts the next case. */
    public void begin() {
        if (index < 0) {
            beginNanos = nanoClock.getAsLong();
        } else {
            plannedSeconds += planned(cases.get(index));
        }
        index++;
        passedSeconds = (nanoClock.getAsLong() - beginNanos) / 1e9;
        show("");
    }

    private double planned(String name) {
        return Math.max(1e-3, seconds.getOrDefault(name, 1.0));
    }

    void step(long step, long steps) {
        show(String.format(Locale.ROOT, ", step %d of %d", step, steps));
    }

    private void show(String detail) {
        line.showNow(String.format(
                Locale.ROOT, "%s (%d of %d)%s%s", cases.get(index), index + 1, cases.size(), detail, left()));
    }

    /** Scales the planned rest by the ratio of actual to planned time so far. */
    private String left() {
        if (plannedSeconds == 0) {
            return "";
        }
        double rest = cases.subList(index, cases.size()).stream()
                .mapToDouble(this::planned)
                .sum();
        return ", " + Quantity.duration((long) (rest * passedSeconds / plannedSeconds * 1e9)) + " left";
    }

    /** Erases the live line, because other output follows or all cases are done. */
    public void clear() {
        line.end();
    }
}
