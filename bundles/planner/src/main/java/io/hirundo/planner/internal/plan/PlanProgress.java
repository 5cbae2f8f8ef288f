package io.hirundo.planner.internal.plan;

import io.hirundo.command.Interruption;
import io.hirundo.lib.terminal.LiveLine;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a plan: a live line on a terminal, otherwise a line from time to time. Throws {@link CancellationException} when
 * the user interrupts the plan.
 */
public final class PlanProgress implements DryRun.Watch {
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(15);

    private final Interruption interruption;
    private final LiveLine line;
    private final LongSupplier nanoClock;
    private final AtomicInteger stepsDone = new AtomicInteger();
    private volatile int ranks;
    private volatile int different;
    private volatile int steps = 1;
    private volatile long beginNanos;

    public PlanProgress(Interruption interruption, PrintStream err, boolean isTerminal, LongSupplier nanoClock) {
        this.interruption = interruption;
        this.nanoClock = nanoClock;
        this.line = new LiveLine(err, isTerminal, nanoClock, LOG_INTERVAL);
    }

    /** Resets the counts, because a plan may run two dry runs. */
    @Override
    public void begin(int ofRanks, int ofDifferent, int ofSteps) {
        ranks = ofRanks;
        different = ofDifferent;
        steps = ofSteps;
        stepsDone.set(0);
        beginNanos = nanoClock.getAsLong();
        check();
    }

    @Override
    public void stepDone() {
        stepsDone.incrementAndGet();
        check();
    }

    @Override
    public void check() {
        if (interruption.isRequested()) {
            throw new CancellationException("planning was cut short");
        }
        line.show(this::text);
    }

    private String text() {
        if (ranks == 0) {
            return "plan: comparing ranks";
        }
        int done = stepsDone.get();
        int all = different * steps;
        String left = "";
        if (done > 0) {
            double seconds = (nanoClock.getAsLong() - beginNanos) / 1e9 / done * (all - done);
            left = String.format(Locale.ROOT, ", about %.0f s left", seconds);
        }
        return String.format(
                Locale.ROOT,
                "plan of %,d ranks: %,d of %,d different ranks counted%s",
                ranks,
                done / steps,
                different,
                left);
    }

    /** Erases the live line. */
    public void end() {
        line.end();
    }
}
