package io.hirundo.lib.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The progress of long work: on a terminal one line that is drawn again, at most five times a second, elsewhere a line now and then or
 * none. Several threads may show progress at a time; {@link #say} and {@link #end} are called while no other thread does.
 */
public final class LiveLine {
    private static final long TERMINAL_INTERVAL_NANOS = 200_000_000L;

    /** Back to the line's begin, and erase it. */
    private static final String CLEAR = "\r\033[K";

    /** The last line may have been longer. */
    private static final String ERASE_REST = "\033[K";

    private final PrintStream out;
    private final boolean isTerminal;
    private final LongSupplier nanoClock;
    private final long intervalNanos;
    private final long beginNanos;
    private final AtomicLong shownNanos;
    private volatile boolean isShown;

    /** Shows nothing unless {@code out} is a terminal. */
    public LiveLine(PrintStream out, boolean isTerminal, LongSupplier nanoClock) {
        this(out, isTerminal, nanoClock, Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * Shows nothing yet: the first interval begins now.
     *
     * @param elsewhere interval between lines where {@code out} is no terminal
     */
    public LiveLine(PrintStream out, boolean isTerminal, LongSupplier nanoClock, Duration elsewhere) {
        this.out = out;
        this.isTerminal = isTerminal;
        this.nanoClock = nanoClock;
        this.intervalNanos = isTerminal ? TERMINAL_INTERVAL_NANOS : elsewhere.toNanos();
        this.beginNanos = nanoClock.getAsLong();
        this.shownNanos = new AtomicLong(beginNanos);
    }

    /** Shows a line if the interval since the last one is over. Of several threads that come at the same time, one shows its line. */
    public void show(Supplier<String> line) {
        long now = nanoClock.getAsLong();
        long shown = shownNanos.get();
        if (now - shown >= intervalNanos && shownNanos.compareAndSet(shown, now)) {
            if (isTerminal) {
                draw(line.get());
            } else {
                print(line.get() + "\n");
            }
        }
    }

    /** Shows a line at once on a terminal, elsewhere nothing. */
    public void showNow(String line) {
        if (isTerminal) {
            draw(line);
        }
    }

    private void draw(String line) {
        isShown = true;
        print("\r" + line + ERASE_REST);
    }

    /** Prints a line that stays, in place of the live one. */
    public void say(String line) {
        print((isShown ? CLEAR : "") + line + System.lineSeparator());
        isShown = false;
    }

    /** Erases the live line: what is printed next begins where it began. */
    public void end() {
        if (isShown) {
            print(CLEAR);
            isShown = false;
        }
    }

    /** Since this line was made. */
    public long elapsedNanos() {
        return nanoClock.getAsLong() - beginNanos;
    }

    private void print(String text) {
        out.print(text);
        out.flush();
    }
}
