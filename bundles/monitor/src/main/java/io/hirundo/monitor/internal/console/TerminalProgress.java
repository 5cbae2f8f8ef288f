package io.hirundo.monitor.internal.console;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Progress on a terminal: permanent lines above one live line, redrawn at most ten times a second. The cursor rests at the end
 * of the live line, so that output of others follows it and is never overwritten.
 */
final class TerminalProgress implements TrainingListener {
    private static final long INTERVAL_NANOS = 100_000_000L;

    private static final String CLEAR = "\r\u001b[K";

    // Disable wrapping: the terminal cuts a long live line, so it never leaves a second row behind.
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final long everySteps;
    private final Supplier<PrintStream> out;
    private final LongSupplier nanoClock;
    private final RunProgress progress;
    private long lastDrawNanos;
    private boolean isLive;

    TerminalProgress(long everySteps, Supplier<PrintStream> out, boolean color, LongSupplier nanoClock) {
        this.everySteps = everySteps;
        this.out = out;
        this.nanoClock = nanoClock;
        this.progress = new RunProgress(color ? Style.COLOR : Style.PLAIN, nanoClock);
    }

    @Override
    public void on(TrainingEvent event) {
        if (event instanceof TrainingEvent.StepCompleted step) {
            String line = progress.step(step);
            if (everySteps > 0 && step.step() % everySteps == 0) {
                printAbove(line);
            } else if (!isLive || nanoClock.getAsLong() - lastDrawNanos >= INTERVAL_NANOS) {
                draw(line);
            }
            return;
        }
        progress.permanentLine(event).ifPresent(this::printAbove);
        if (event instanceof TrainingEvent.RunFailed) {
            // Leave an empty row for the command line's error message.
            clear();
        }
    }

    private void draw(String line) {
        print((isLive ? CLEAR : "") + NO_WRAP + line + WRAP);
        isLive = true;
        lastDrawNanos = nanoClock.getAsLong();
    }

    private void printAbove(String line) {
        print((isLive ? CLEAR : "") + line + System.lineSeparator());
        isLive = false;
    }

    private void clear() {
        if (isLive) {
            print(CLEAR);
            isLive = false;
        }
    }

    private void print(String text) {
        PrintStream stream = out.get();
        stream.print(text);
        stream.flush();
    }
}
