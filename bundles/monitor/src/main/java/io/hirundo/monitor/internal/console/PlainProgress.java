package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Progress without a terminal, for example in a file: permanent lines for the first step, the last, and some between. */
final class PlainProgress implements TrainingListener {
    private static final long INTERVAL_NANOS = 2_000_000_000L;

    private final long everySteps;
    private final Supplier<PrintStream> out;
    private final LongSupplier nanoClock;
    private final RunProgress progress;
    private long lastLineNanos;
    private boolean begun;

    PlainProgress(long everySteps, Supplier<PrintStream> out, LongSupplier nanoClock) {
        this.everySteps = everySteps;
        this.out = out;
        this.nanoClock = nanoClock;
        this.progress = new RunProgress(Style.PLAIN, nanoClock);
    }

    @Override
    public void on(TrainingEvent event) {
        if (event instanceof TrainingEvent.StepCompleted step) {
            String line = progress.step(step);
            if (isDue(step.step())) {
                out.get().println(line);
                lastLineNanos = nanoClock.getAsLong();
                begun = true;
            }
        } else {
            progress.permanentLine(event).ifPresent(out.get()::println);
        }
        out.get().flush();
    }

    private boolean isDue(long step) {
        if (!begun || step == progress.lastStep()) {
            return true;
        }
        return everySteps > 0 ? step % everySteps == 0 : nanoClock.getAsLong() - lastLineNanos >= INTERVAL_NANOS;
    }
}
